import type { Clock } from "../../../ports/clock.ts";
import type { Telemetry } from "../../../ports/telemetry.ts";
import { WorkLoop } from "../../../runtime/work-loop.ts";

const intervalMilliseconds = 12 * 3_600_000;
const allTypes = "instance-types";

export interface RefresherOptions {
  readonly catalogue: { refresh(): Promise<void>; readonly refreshedAt: number | undefined };
  readonly clock: Clock;
  readonly telemetry: Telemetry;
}

/** Reads twice a day what EC2 sells. */
export class InstanceTypeRefresher {
  readonly #options: RefresherOptions;
  readonly #loop: WorkLoop;

  constructor(options: RefresherOptions) {
    this.#options = options;
    const { clock, telemetry } = options;
    this.#loop = new WorkLoop({
      name: "providers.instancetype",
      clock,
      telemetry,
      reconcile: async () => {
        await options.catalogue.refresh();
        return intervalMilliseconds;
      },
    });
  }

  /** What was read before we led is good for as long. */
  start(): void {
    const { catalogue, clock } = this.#options;
    const { refreshedAt = Number.NEGATIVE_INFINITY } = catalogue;
    this.#loop.enqueue(allTypes, Math.max(0, refreshedAt + intervalMilliseconds - clock.now()));
  }

  stop(): Promise<void> {
    return this.#loop.stop();
  }
}
