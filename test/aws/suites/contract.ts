// Holds of machines of EC2 what holds of those of every cloud.
import { after, before } from "node:test";
import type { AwsApi } from "../../../src/adapters/aws/api/aws-api.ts";
import { describeCloudProvider } from "../../contract/cloud-provider/cloud-provider-contract.ts";
import { ProviderBench } from "../provider-bench.ts";
import { control, openApi, seed } from "../stage.ts";

let api: AwsApi;
before(async () => {
  api = await openApi();
});
after(() => api.close());

for (const [name, timing] of [
  ["AWS", {}],
  ["AWS with machines that take a while to come and to go", { pendingMilliseconds: 300, stoppingMilliseconds: 300 }],
] as const) {
  describeCloudProvider(name, async () => {
    const bench = await ProviderBench.open({ api, seeded: await seed() });
    await control.setTiming(timing);
    return bench;
  });
}
