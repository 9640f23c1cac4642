const window = 1_000;
const first = 100;
const thereafter = 100;

/** Lets through the first hundred lines of a kind in a second, and then each hundredth, so that a loop cannot flood the log. */
export class LogSampler {
  readonly #now: () => number;
  readonly #counts = new Map<string, number>();
  #windowStart = Number.NEGATIVE_INFINITY;

  constructor(now: () => number) {
    this.#now = now;
  }

  lets(level: string, message: string): boolean {
    const now = this.#now();
    if (now - this.#windowStart >= window || now < this.#windowStart) {
      this.#windowStart = now;
      this.#counts.clear();
    }
    const key = `${level} ${message}`;
    const count = (this.#counts.get(key) ?? 0) + 1;
    this.#counts.set(key, count);
    return count <= first || (count - first) % thereafter === 0;
  }
}
