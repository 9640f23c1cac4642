import type { Clock } from "../../../ports/clock.ts";
import type { Telemetry } from "../../../ports/telemetry.ts";
import { WorkLoop } from "../../../runtime/work-loop.ts";
import type { Images } from "./images.ts";

const period = 30 * 60_000;

/** Looks from time to time whether AWS has withdrawn an image that it called the latest. */
export class ImageDeprecation {
  readonly #loop: WorkLoop;

  constructor(options: {
    readonly images: Pick<Images, "forgetDeprecated">;
    readonly clock: Clock;
    readonly telemetry: Telemetry;
  }) {
    const { images, clock, telemetry } = options;
    this.#loop = new WorkLoop({
      name: "providers.ssm.invalidation",
      clock,
      telemetry,
      concurrency: 1,
      reconcile: async () => {
        await images.forgetDeprecated();
        return period;
      },
    });
  }

  start(): void {
    this.#loop.enqueue("");
  }

  stop(): Promise<void> {
    return this.#loop.stop();
  }
}
