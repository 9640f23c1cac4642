import type { Clock } from "../../ports/clock.ts";

/** Creations at even intervals: kube-controller-manager is limited by `--kube-api-qps`. */
export class CreationPace {
  readonly #clock: Clock;
  readonly #interval: number;
  #nextAt = 0;

  constructor(clock: Clock, perSecond: number) {
    this.#clock = clock;
    this.#interval = 1000 / perSecond;
  }

  /** Milliseconds until the next object may be created, 0 for now. */
  get wait(): number {
    return Math.max(0, this.#nextAt - this.#clock.now());
  }

  /** An object was created. */
  count(): void {
    this.#nextAt = this.#clock.now() + this.#interval;
  }
}
