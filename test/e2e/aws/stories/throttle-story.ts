import type { AwsStory } from "../aws-scene.ts";

const pool = "throttle";
const machineCount = 3;

export const throttleStory: AwsStory = {
  name: pool,
  about: "while AWS takes no calls the controller asks less and less, and then launches and terminates once",
  hasFaults: true,
  async play(scene) {
    const { control } = scene.account;
    // More than the SDK tries by itself.
    await control.throttle("CreateFleet", { times: 8 });
    await control.throttle("DescribeInstances", { times: 8 });
    await scene.addMachinePool(pool, { instanceTypes: ["m5.large"] });
    // One on each machine.
    await scene.addDeployment("web", machineCount, { pool, cpu: "1500m" });
    await scene.untilRunning("web", machineCount);
    await scene.untilReady(pool, machineCount);
    const machines = await scene.untilSettled(pool);
    scene.same(machines.length, machineCount, "machines");
    scene.same((await scene.machines(pool)).length, machineCount, "machines that there ever were");
    const fleets = await scene.callsAbout("CreateFleet", pool);
    scene.check(fleets.length <= 8 + machineCount + 3, `CreateFleet was called ${fleets.length} times`);

    await control.throttle("TerminateInstances", { times: 8 });
    await scene.kubectl(`delete nodeclaims -l karpenter.sh/nodepool=${pool} --wait=false`);
    const old = machines.map(({ id }) => id);
    await scene.until(
      "all old machines are gone",
      async () => {
        const left = await scene.liveMachines(pool);
        return left.every(({ id }) => !old.includes(id));
      },
      120,
    );
    await scene.untilRunning("web", machineCount);
    scene.same((await scene.untilSettled(pool)).length, machineCount, "machines that took over");
    scene.same((await scene.machines(pool)).length, 2 * machineCount, "machines that there ever were, after all");
  },
};
