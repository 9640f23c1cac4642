import { setTimeout as sleep } from "node:timers/promises";
import type { AwsScene, AwsStory } from "../aws-scene.ts";

const zones = ["us-west-2a"];

export const capacityStory: AwsStory = {
  name: "capacity",
  about: "what is sold out is not asked for again at once: the next cheapest is bought, and nothing when there is none",
  async play(scene) {
    await buyTheFourth(scene);
    await buyNothing(scene);
  },
};

async function buyTheFourth(scene: AwsScene): Promise<void> {
  const pool = "capacity-fourth";
  const instanceTypes = ["c5.large", "c5a.large", "m5.large", "m6i.large"];
  const onDemand = Object.fromEntries(instanceTypes.map((name, place) => [name, 0.05 + place * 0.01]));
  const { control } = scene.account;
  await control.setPrices({ onDemand });
  await control.limitPools(instanceTypes.slice(0, 3).map((instanceType) => ({ instanceType, zone: zones[0] ?? "" })));
  await scene.addMachinePool(pool, { instanceTypes, zones });
  await scene.addDeployment("fourth", 2, { pool, cpu: "600m" });
  await scene.untilRunning("fourth", 2);
  const machines = await scene.untilSettled(pool);
  scene.same(
    machines.map(({ instanceType }) => instanceType),
    ["m6i.large"],
    "machines that were bought",
  );
  const fleets = await scene.callsAbout("CreateFleet", pool);
  scene.check(fleets.length <= 2, `CreateFleet was called ${fleets.length} times for one machine`);
}

async function buyNothing(scene: AwsScene): Promise<void> {
  const pool = "capacity-none";
  const { control } = scene.account;
  await control.limitPools([{ instanceType: "r5.large" }]);
  await scene.addMachinePool(pool, { instanceTypes: ["r5.large"], zones });
  await scene.addDeployment("none", 1, { pool, cpu: "600m" });
  await scene.until(
    "somebody asked for a machine",
    async () => (await scene.callsAbout("CreateFleet", pool)).length > 0,
    30,
  );
  await sleep(15_000);
  const fleets = await scene.callsAbout("CreateFleet", pool);
  scene.check(fleets.length <= 2, `CreateFleet was called ${fleets.length} times for what is sold out`);
  scene.same((await scene.machines(pool)).length, 0, "machines of what is sold out");
}
