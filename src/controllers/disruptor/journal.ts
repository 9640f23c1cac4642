import type { Decision } from "../../core/disruption/decision.ts";

export interface JournalBounds {
  readonly mostDecisions: number;
  /** Of all of them together, as JSON. */
  readonly mostBytes: number;
}

interface Entry {
  readonly decision: Decision;
  readonly bytes: number;
}

const defaults: JournalBounds = { mostDecisions: 200, mostBytes: 4 * 1024 * 1024 };

/** The last decisions about which nodes go. It outlives the term of leading in which they were made. */
export class Journal {
  readonly #bounds: JournalBounds;
  /** The oldest first. */
  readonly #entries: Entry[] = [];
  /** By reason, what was found the last time, without when that was. */
  readonly #lastLooks = new Map<string, string>();
  #bytes = 0;

  constructor(bounds: Partial<JournalBounds> = {}) {
    this.#bounds = { ...defaults, ...bounds };
  }

  /** A look that found what the one before found is not written down again. */
  write(decision: Decision): void {
    const { time, ...rest } = decision;
    const text = JSON.stringify(rest);
    if (decision.kind === "looked") {
      if (this.#lastLooks.get(decision.reason) === text) return;
      this.#lastLooks.set(decision.reason, text);
    }
    const bytes = text.length + time.length;
    this.#entries.push({ decision, bytes });
    this.#bytes += bytes;
    const { mostDecisions, mostBytes } = this.#bounds;
    while (this.#entries.length > mostDecisions || (this.#bytes > mostBytes && this.#entries.length > 1)) {
      this.#bytes -= this.#entries.shift()?.bytes ?? 0;
    }
  }

  /** The newest first. */
  get decisions(): readonly Decision[] {
    return this.#entries.map(({ decision }) => decision).reverse();
  }
}
