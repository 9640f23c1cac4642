import type { AwsStory } from "../aws-scene.ts";

const pool = "drift";
const machineCount = 3;

export const driftStory: AwsStory = {
  name: pool,
  about:
    "when the alias of the images moves, it is noticed, and machines are replaced one after the other, as the budget says",
  async play(scene) {
    await scene.addMachinePool(pool, {
      instanceTypes: ["m5.large"],
      disruption: { consolidateAfter: "Never", budgets: [{ nodes: "1" }] },
    });
    await scene.addDeployment("web", machineCount, { pool, cpu: "1500m" });
    await scene.untilRunning("web", machineCount);
    await scene.untilReady(pool, machineCount);
    const images = await scene.account.releaseImages("20260303");
    let most = 0;
    await scene.until(
      "all machines are of the new image, and run",
      async () => {
        const [claims, machines] = await Promise.all([scene.claims(pool), scene.liveMachines(pool)]);
        const going = claims.filter(({ metadata }) => metadata.deletionTimestamp !== undefined).length;
        most = Math.max(most, going);
        return (
          machines.length === machineCount && going === 0 && machines.every(({ imageId }) => imageId === images.amd64)
        );
      },
      // A minute at most until what the alias stands for is looked up again.
      240,
    );
    scene.check(most <= 1, `with a budget of one, ${most} claims went at a time`);
    await scene.untilRunning("web", machineCount);
    scene.same((await scene.untilSettled(pool)).length, machineCount, "machines after all");
    scene.same((await scene.machines(pool)).length, 2 * machineCount, "machines that there ever were");
  },
};
