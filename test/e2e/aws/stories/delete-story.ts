import { type AwsStory, machineOf } from "../aws-scene.ts";

const pool = "delete";

export const deleteStory: AwsStory = {
  name: pool,
  about: "a node that is deleted by hand is drained, its machine terminated once it is empty, and its pods come back",
  async play(scene) {
    await scene.addMachinePool(pool, { instanceTypes: ["m5.large", "c5.large"] });
    await scene.addDeployment("web", 2, { pool, cpu: "600m" });
    await scene.untilRunning("web", 2);
    const [claim] = await scene.untilReady(pool, 1);
    const name = claim?.status?.nodeName ?? "";
    const machine = claim === undefined ? "" : machineOf(claim);
    await scene.kubectl(`delete node ${name} --wait=false`);
    await scene.until(
      "the machine is terminated, and its node and claim are gone",
      async () => {
        const machines = await scene.machines(pool);
        const isGone = machines.some(({ id, state }) => id === machine && state === "terminated");
        if (isGone) {
          const pods = await scene.pods("web");
          const left = pods.filter(({ spec }) => spec?.nodeName === name).length;
          scene.check(left === 0, `the machine was terminated with ${left} pods on it`);
        }
        const [nodes, claims] = await Promise.all([scene.nodes(pool), scene.claims(pool)]);
        return (
          isGone &&
          nodes.every(({ metadata }) => metadata?.name !== name) &&
          claims.every(({ metadata }) => metadata.name !== claim?.metadata.name)
        );
      },
      60,
    );
    await scene.untilRunning("web", 2);
    await scene.untilSettled(pool);
    scene.same((await scene.liveMachines(pool)).length, 1, "machines after all");
  },
};
