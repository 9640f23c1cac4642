import type { Story } from "../scene.ts";

const pool = "bind";
const podCount = 50;

/** The controller binds what it has planned. */
export const bindStory: Story = {
  name: pool,
  about: "with the placement policy Bind, every pod of a burst lands where the plan put it",
  environment: { PLACEMENT_POLICY: "Bind" },
  async play(scene) {
    await scene.addPool(pool);
    await scene.addDeployment("web", podCount, { pool });
    const pods = await scene.untilRunning("web", podCount);
    const nodes = new Set(pods.map(({ spec }) => spec?.nodeName));
    scene.same(nodes.size, Math.ceil(podCount / 3), "nodes that the pods are on");
    const text = await (await fetch(scene.controller.metricsUrl)).text();
    const outcomes = [...text.matchAll(/^karpenter_plan_pods_total\{outcome="(\w+)"\} (\d+)$/gm)];
    scene.same(
      Object.fromEntries(
        outcomes.map(([, outcome, count]) => [outcome, Number(count)]).filter(([, count]) => count !== 0),
      ),
      { as_planned: podCount },
      "where pods went",
    );
  },
};
