import type { InstanceType } from "../../core/model/instance-type.ts";
import { version } from "../version.ts";
import { askController } from "./controller-prices.ts";
import type { OpenCluster } from "./open-cluster.ts";
import { Prices } from "./prices.ts";
import { readControllerSettings } from "./running-controller.ts";

const answerMilliseconds = 10_000;

/** Nobody is asked before somebody wants to know. */
export function openPrices({ state, clock, transport }: OpenCluster, catalogue: readonly InstanceType[]): Prices {
  return new Prices({
    catalogue,
    cluster: state,
    clock,
    askController: async () => {
      const { metricsPort } = await readControllerSettings(transport);
      return await askController(transport, state, metricsPort);
    },
    openAws: async (region) => {
      // The clients of AWS take half a second to load, and most clusters need none.
      const { openAwsApi } = await import("../../adapters/aws/api/open-aws-api.ts");
      return await openAwsApi({ region, version: version(), answerMilliseconds });
    },
  });
}
