import type { Clock } from "../../ports/clock.ts";

interface Entry<Value> {
  readonly value: Value;
  readonly until: number;
}

export interface ExpiringMapOptions {
  readonly clock: Clock;
  readonly milliseconds: number;
  /** The oldest go when there are more; a thousand by default. */
  readonly most?: number;
}

/** Remembers each value for a while after it was set. */
export class ExpiringMap<Value> {
  readonly #options: Required<ExpiringMapOptions>;
  readonly #entries = new Map<string, Entry<Value>>();

  constructor(options: ExpiringMapOptions) {
    this.#options = { most: 1_000, ...options };
  }

  get(key: string): Value | undefined {
    const entry = this.#entries.get(key);
    return entry !== undefined && entry.until > this.#options.clock.now() ? entry.value : undefined;
  }

  set(key: string, value: Value): void {
    const { clock, milliseconds, most } = this.#options;
    const now = clock.now();
    this.#entries.delete(key);
    // All live equally long, so that the oldest expire first.
    for (const [other, { until }] of this.#entries) {
      if (until > now && this.#entries.size < most) break;
      this.#entries.delete(other);
    }
    this.#entries.set(key, { value, until: now + milliseconds });
  }

  delete(key: string): void {
    this.#entries.delete(key);
  }

  /** Those that are still remembered. */
  *entries(): Generator<readonly [key: string, value: Value]> {
    const now = this.#options.clock.now();
    for (const [key, { value, until }] of this.#entries) if (until > now) yield [key, value];
  }

  deleteWhere(isUnwanted: (key: string) => boolean): void {
    for (const key of this.#entries.keys()) if (isUnwanted(key)) this.#entries.delete(key);
  }
}
