import { setTimeout as sleep } from "node:timers/promises";
import { readClaimTags } from "../../../../src/adapters/aws/launch/claim-tags.ts";
import { findDoubles } from "../../../aws/find-doubles.ts";
import { Dice } from "../../scheduler/dice.ts";
import type { AwsScene, AwsStory } from "../aws-scene.ts";

const pool = "kill";
const podCount = 4;
const seed = 7;

export function killStory(rounds: number): AwsStory {
  return {
    name: pool,
    about: "a controller that is killed while machines come and go, with answers that are lost, leaks and doubles none",
    hasFaults: true,
    async play(scene) {
      const dice = new Dice(seed);
      await scene.addMachinePool(pool, {
        instanceTypes: ["m5.large"],
        disruption: { consolidationPolicy: "WhenEmpty", consolidateAfter: "0s", budgets: [{ nodes: "100%" }] },
      });
      // One on each machine.
      await scene.addDeployment("web", podCount, { pool, cpu: "1500m" });
      for (let round = 0; round < rounds; round++) await killInTheMiddle(scene, dice);
      await scene.account.control.clearFaults();
      await scale(scene, podCount);
      await scene.untilRunning("web", podCount);
      // A machine that nobody claims is collected when it is half a minute old.
      await scene.until(
        "there is a machine for each pod, and no other",
        async () => (await scene.untilSettled(pool)).length === podCount,
        120,
      );
      await scene.untilReady(pool, podCount);
      await checkDoubles(scene);
    },
  };
}

/** Pods come or go, a claim goes, an answer gets lost, and somewhere on the way the controller dies. */
async function killInTheMiddle(scene: AwsScene, dice: Dice): Promise<void> {
  const { control } = scene.account;
  await control.clearFaults();
  const lost = dice.pick(["CreateFleet", "TerminateInstances", "CreateLaunchTemplate", "CreateTags"]);
  await control.dropAnswers(lost, { times: 1 });
  await control.delay("CreateFleet", dice.between(0, 500), { times: 2 });
  await scale(scene, dice.between(podCount - 2, podCount + 2));
  const claims = await scene.claims(pool);
  if (claims.length > 0) await scene.kubectl(`delete nodeclaim ${dice.pick(claims).metadata.name} --wait=false`);
  await sleep(dice.between(0, 4_000));
  await scene.troupe.replace();
}

async function scale(scene: AwsScene, replicas: number): Promise<void> {
  await scene.api.patch(`/apis/apps/v1/namespaces/${scene.namespace}/deployments/web`, { spec: { replicas } });
}

/** No claim ever had two machines, those that are gone among them. */
async function checkDoubles(scene: AwsScene): Promise<void> {
  const machines = (await scene.machines(pool)).map(({ id, state, tags }) => ({
    id,
    state,
    tags: new Map(Object.entries(tags)),
  }));
  const doubles = findDoubles(machines).map(({ id, state, tags }) => `${id} (${state}) for ${readClaimTags(tags)}`);
  scene.same(doubles, [], `machines beyond one for each claim, of ${machines.length} that there ever were`);
}
