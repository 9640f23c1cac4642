import type { Telling } from "./telling.ts";

/** What is said again of pods that still wait need not be read again so soon. */
const quietMilliseconds = 5 * 60_000;
/** What comes within this time of its like is one happening. */
const togetherMilliseconds = 10_000;
const mostKept = 200;

export interface ToldLine {
  readonly at: number;
  readonly tone: Telling["tone"];
  readonly text: string;
}

interface Kept extends Telling {
  count: number;
}

/** The last happenings, those of a kind put together. */
export class Tellings {
  readonly #onTelling: (telling: Telling) => void;
  readonly #toldAt = new Map<string, number>();
  #kept: Kept[] = [];

  /** The listener is told each one as it comes, repetitions left out. */
  constructor(onTelling: (telling: Telling) => void = () => {}) {
    this.#onTelling = onTelling;
  }

  add(telling: Telling): void {
    if (this.#isRepetition(telling)) return;
    this.#onTelling(telling);
    const { group, at } = telling;
    const like = this.#kept.find(
      (one) => group !== undefined && one.group?.key === group.key && at - one.at < togetherMilliseconds,
    );
    if (like !== undefined) {
      like.count++;
      return;
    }
    this.#kept.push({ ...telling, count: 1 });
    if (this.#kept.length >= 2 * mostKept) this.#kept = this.#kept.slice(-mostKept);
  }

  /** The oldest first. */
  get lines(): readonly ToldLine[] {
    return this.#kept.map(({ at, tone, text, group, count }) => ({
      at,
      tone,
      text: group !== undefined && count > 1 ? group.describe(count) : text,
    }));
  }

  #isRepetition({ at, text, sameAs = text }: Telling): boolean {
    const last = this.#toldAt.get(sameAs);
    if (last !== undefined && at - last < quietMilliseconds) return true;
    this.#toldAt.set(sameAs, at);
    if (this.#toldAt.size > 10 * mostKept) this.#forget(at);
    return false;
  }

  #forget(now: number): void {
    for (const [same, at] of this.#toldAt) if (now - at >= quietMilliseconds) this.#toldAt.delete(same);
  }
}
