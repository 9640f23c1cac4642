import type { Clock } from "../ports/clock.ts";

const sweepMilliseconds = 10_000;

/** Remembers for a while what was said. Forgets early rather than remember more than a fixed number. */
export class QuietTimes {
  readonly #clock: Clock;
  readonly #most: number;
  readonly #endings = new Map<string, number>();
  #sweptAt: number;

  constructor(clock: Clock, most: number) {
    this.#clock = clock;
    this.#most = most;
    this.#sweptAt = clock.now();
  }

  isQuiet(key: string): boolean {
    return (this.#endings.get(key) ?? Number.NEGATIVE_INFINITY) > this.#clock.now();
  }

  begin(key: string, milliseconds: number): void {
    const now = this.#clock.now();
    this.#sweep(now);
    this.#endings.delete(key);
    this.#endings.set(key, now + milliseconds);
  }

  #sweep(now: number): void {
    if (this.#endings.size < this.#most && Math.abs(now - this.#sweptAt) < sweepMilliseconds) return;
    this.#sweptAt = now;
    for (const [key, end] of this.#endings) if (end <= now) this.#endings.delete(key);
    for (const key of this.#endings.keys()) {
      if (this.#endings.size < this.#most) break;
      this.#endings.delete(key);
    }
  }
}
