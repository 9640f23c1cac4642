import type { Clock } from "../ports/clock.ts";

export interface Rate {
  readonly perSecond: number;
  /** How many at once after a rest. */
  readonly burst: number;
}

/** Tells whether something may happen now, for those who do not wait. */
export class RateBucket {
  readonly #rate: Rate;
  readonly #clock: Clock;
  #tokens: number;
  #filledAt: number;

  constructor(rate: Rate, clock: Clock) {
    this.#rate = rate;
    this.#clock = clock;
    this.#tokens = rate.burst;
    this.#filledAt = clock.now();
  }

  tryTake(): boolean {
    if (this.millisecondsToWait() > 0) return false;
    this.#tokens--;
    return true;
  }

  /** 0 when something may happen now. */
  millisecondsToWait(): number {
    const { perSecond, burst } = this.#rate;
    const now = this.#clock.now();
    // The clock of a machine may be set back.
    const passed = Math.max(0, now - this.#filledAt);
    this.#filledAt = now;
    this.#tokens = Math.min(burst, this.#tokens + (passed * perSecond) / 1_000);
    return this.#tokens >= 1 ? 0 : Math.ceil(((1 - this.#tokens) / perSecond) * 1_000);
  }
}
