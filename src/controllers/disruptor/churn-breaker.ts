import { type Churn, describeLeftOut, describeStop, judgeChurn } from "../../core/disruption/churn.ts";
import { isActive } from "../../core/model/pod-lifecycle.ts";
import type { DisruptorOptions } from "./disruptor-options.ts";
import type { Look } from "./look.ts";
import type { LookReporter } from "./look-reporter.ts";

type BreakerOptions = Pick<DisruptorOptions, "pastMoves" | "settings">;

/** Stops moves that save money when too many pods were moved lately, and says so. */
export class ChurnBreaker {
  readonly #options: BreakerOptions;
  readonly #reporter: LookReporter;
  #churn: Churn = { moved: 0, most: 0, left: 0, until: 0 };
  /** Of the moves that had to wait, how many pods the smallest has. */
  #leftOut: number | undefined;
  #isStopped = false;

  constructor(options: BreakerOptions, reporter: LookReporter) {
    this.#options = options;
    this.#reporter = reporter;
  }

  /** How many pods may be moved from now on. */
  begin({ view: { cluster, now } }: Look): number {
    const { pastMoves, settings } = this.#options;
    const pods = [...cluster.pods.values()].filter((pod) => pod.nodeName !== "" && isActive(pod)).length;
    const percentPerHour = settings.mostPodMovesPercentPerHour;
    this.#churn = judgeChurn(pastMoves.all(now), { pods, percentPerHour, now });
    this.#leftOut = undefined;
    if (this.#churn.left === 0) this.#tell(describeStop(this.#churn));
    return this.#churn.left;
  }

  /** Whether a move of so many pods may be made; then they count. */
  take(pods: number): boolean {
    const { moved, left } = this.#churn;
    if (pods > left) {
      this.#leftOut = Math.min(pods, this.#leftOut ?? pods);
      return false;
    }
    this.#churn = { ...this.#churn, moved: moved + pods, left: left - pods };
    return true;
  }

  /** When all moves have been asked about. */
  end(): void {
    this.#tell(this.#leftOut === undefined ? undefined : describeLeftOut(this.#churn, this.#leftOut));
  }

  #tell(message: string | undefined): void {
    const isStopped = message !== undefined;
    const isNews = isStopped !== this.#isStopped;
    this.#isStopped = isStopped;
    this.#reporter.reportStopped(message, isNews);
  }
}
