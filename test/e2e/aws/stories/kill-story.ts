import { setTimeout as sleep } from "node:timers/promises";
import { Dice } from "../../scheduler/dice.ts";
import type { AwsScene, AwsStory } from "../aws-scene.ts";

const pool = "kill";
const rounds = 6;
const seed = 7;

export const killStory: AwsStory = {
  name: pool,
  about: "a controller that is killed while machines come and go, with answers that are lost, leaks and doubles none",
  hasFaults: true,
  async play(scene) {
    const dice = new Dice(seed);
    await scene.addMachinePool(pool, { instanceTypes: ["m5.large"] });
    await scene.addDeployment("web", 0, { pool, cpu: "1500m" });
    for (let round = 1; round <= rounds; round++) await killInTheMiddle(scene, dice, round);
    await scene.account.control.clearFaults();
    await scene.untilRunning("web", rounds, 120);
    // A machine that nobody claims is collected when it is half a minute old.
    const machines = await scene.untilSettled(pool, 90);
    scene.same(machines.length, rounds, "machines for as many pods that fill one each");
    await scene.untilReady(pool, rounds, 60);
  },
};

/** One pod more, and from the second time on a machine less, and somewhere on the way the controller dies. */
async function killInTheMiddle(scene: AwsScene, dice: Dice, round: number): Promise<void> {
  const { control } = scene.account;
  const lost = dice.pick(["CreateFleet", "TerminateInstances", "CreateLaunchTemplate", "CreateTags"]);
  await control.dropAnswers(lost, { times: 1 });
  await control.delay("CreateFleet", dice.between(0, 500), { times: 2 });
  await scene.api.patch(`/apis/apps/v1/namespaces/${scene.namespace}/deployments/web`, { spec: { replicas: round } });
  const [claim] = await scene.claims(pool);
  if (claim !== undefined) await scene.kubectl(`delete nodeclaim ${claim.metadata.name} --wait=false`);
  await sleep(dice.between(0, 4_000));
  await scene.troupe.replace();
}
