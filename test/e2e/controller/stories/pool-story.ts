import type { Condition } from "../manifests.ts";
import type { Scene, Story } from "../scene.ts";

const twice = { key: "example.com/twice", value: "a", effect: "NoSchedule" };

/** Pools that are wrong, full or without bounds. */
export const poolStory: Story = {
  name: "pools",
  about: "pools that are invalid, lack their node class, are full or have no limits say so, and so do their pods",
  async play(scene) {
    await scene.addPool("pools-invalid", { spec: { taints: [twice], startupTaints: [{ ...twice, value: "b" }] } });
    const nodeClassRef = { group: "karpenter.kwok.sh", kind: "KWOKNodeClass", name: "missing" };
    await scene.addPool("pools-missing", { spec: { nodeClassRef } });
    await scene.addPool("pools-full", { limits: { cpu: "4" } });
    await scene.addPool("pools-unlimited", { limits: undefined });
    // A pod that comes before its pool is ready hears of that, and of nothing else for minutes.
    await scene.until("the full pool is ready", async () =>
      (await scene.pool("pools-full"))?.status?.conditions?.some(
        ({ type, status }) => type === "Ready" && status === "True",
      ),
    );
    await scene.addDeployment("invalid", 1, { pool: "pools-invalid" });
    await scene.addDeployment("full", 4, { pool: "pools-full" });
    const invalid = await untilCondition(scene, "pools-invalid", "ValidationSucceeded");
    scene.same(invalid.reason, "NodePoolValidationFailed", "reason of the invalid pool");
    scene.check(invalid.message?.includes(twice.key) ?? false, `the invalid pool says only: ${invalid.message}`);
    await untilCondition(scene, "pools-invalid", "Ready");
    await scene.untilEvent(["NodePool", "pools-invalid"], "NodePoolValidationFailed", /example\.com\/twice/);
    const missing = await untilCondition(scene, "pools-missing", "NodeClassReady");
    scene.same(missing.reason, "NodeClassNotFound", "reason of the pool without its node class");
    await scene.untilEvent(
      ["NodePool", "pools-unlimited"],
      "NodePoolValidationWarning",
      /nothing bounds what the pool spends/,
    );
    await scene.untilRunning("full", 3);
    const left = await scene.until("one pod finds no place in the full pool", async () =>
      (await scene.pods("full")).find(({ spec }) => spec?.nodeName === undefined),
    );
    await scene.untilEvent(
      ["Pod", left.metadata?.name ?? ""],
      "FailedScheduling",
      /Pool "pools-full" has reached its limit: .*cpu/,
    );
    const [unlucky] = await scene.pods("invalid");
    await scene.untilEvent(["Pod", unlucky?.metadata?.name ?? ""], "FailedScheduling", /^Failed to schedule pod, /);
    scene.same((await scene.claims("pools-full")).length, 1, "claims of the full pool");
    scene.same((await scene.claims("pools-invalid")).length, 0, "claims of the invalid pool");
  },
};

function untilCondition(scene: Scene, pool: string, type: string): Promise<Condition> {
  return scene.until(`${type} of pool ${pool} is False`, async () =>
    (await scene.pool(pool))?.status?.conditions?.find(
      (condition) => condition.type === type && condition.status === "False",
    ),
  );
}
