import type { Clock } from "../../ports/clock.ts";

export interface RateLimit {
  /** How many a second in the long run. */
  readonly qps: number;
  /** How many at once after a rest. */
  readonly burst: number;
}

/** Lets through so many a second; those who must wait go in the order in which they came. */
export class TokenBucket {
  readonly #limit: RateLimit;
  readonly #clock: Clock;
  /** Below zero, what those who wait have taken in advance. */
  #tokens: number;
  #filledAt: number;

  constructor(limit: RateLimit, clock: Clock) {
    if (!(limit.qps > 0 && limit.burst >= 1)) {
      throw new Error(
        `A rate limit needs a qps above 0 and a burst of at least 1, not ${limit.qps} and ${limit.burst}`,
      );
    }
    this.#limit = limit;
    this.#clock = clock;
    this.#tokens = limit.burst;
    this.#filledAt = clock.now();
  }

  /** Nothing to wait for where it returns nothing. */
  take(): Promise<void> | undefined {
    const { qps, burst } = this.#limit;
    const now = this.#clock.now();
    // The clock of a machine may be set back.
    const passedMs = Math.max(0, now - this.#filledAt);
    this.#filledAt = now;
    this.#tokens = Math.min(burst, this.#tokens + (passedMs * qps) / 1000) - 1;
    if (this.#tokens >= 0) return undefined;
    const waitMs = Math.ceil((-this.#tokens / qps) * 1000);
    return new Promise((resolve) => this.#clock.after(waitMs, resolve));
  }
}
