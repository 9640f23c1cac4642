import type { Clock } from "../../../ports/clock.ts";

/** Longer than whoever hands out credentials takes to start anew. */
const bearableMilliseconds = 60_000;

/** Since when node classes cannot be looked after for want of credentials. */
export class CredentialOutages {
  readonly #clock: Pick<Clock, "now">;
  /** By the name of the node class. */
  readonly #since = new Map<string, number>();

  constructor(clock: Pick<Clock, "now">) {
    this.#clock = clock;
  }

  /** Whether there have been none for so long that somebody has to do something; an outage begins when first asked. */
  isLasting(name: string): boolean {
    const now = this.#clock.now();
    const since = this.#since.get(name) ?? now;
    this.#since.set(name, since);
    return now - since >= bearableMilliseconds;
  }

  end(name: string): void {
    this.#since.delete(name);
  }
}
