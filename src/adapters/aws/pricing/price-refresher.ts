import type { Clock } from "../../../ports/clock.ts";
import type { Telemetry } from "../../../ports/telemetry.ts";
import { WorkLoop } from "../../../runtime/work-loop.ts";
import type { Market, PriceBook } from "./price-book.ts";

export interface PriceRefresherOptions {
  readonly prices: Pick<PriceBook, "refresh" | "refreshedAt">;
  readonly clock: Clock;
  readonly telemetry: Telemetry;
}

const periodMilliseconds = 12 * 60 * 60_000;
const markets: readonly Market[] = ["on-demand", "spot"];

/** Renews the prices twice a day. Each market goes its own way, so that one which fails does not hold up the other. */
export class PriceRefresher {
  readonly #options: PriceRefresherOptions;
  readonly #loop: WorkLoop;

  constructor(options: PriceRefresherOptions) {
    this.#options = options;
    const { clock, telemetry } = options;
    this.#loop = new WorkLoop({
      name: "providers.pricing",
      reconcile: (market) => this.#reconcile(market as Market),
      clock,
      telemetry,
      firstBackoff: 1_000,
      longestBackoff: 10 * 60_000,
    });
  }

  start(): void {
    for (const market of markets) this.#loop.enqueue(market);
  }

  stop(): Promise<void> {
    return this.#loop.stop();
  }

  /** Whoever begins to lead again soon after finds the prices fresh enough. */
  async #reconcile(market: Market): Promise<number> {
    const { prices, clock } = this.#options;
    const refreshedAt = prices.refreshedAt(market);
    const left = refreshedAt === undefined ? 0 : refreshedAt + periodMilliseconds - clock.now();
    if (left > 0) return left;
    await prices.refresh(market);
    return periodMilliseconds;
  }
}
