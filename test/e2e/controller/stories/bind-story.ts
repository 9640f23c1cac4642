import { readFidelity } from "../../read-fidelity.ts";
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
    const fidelity = await readFidelity(scene.controller.metricsUrl);
    scene.same(fidelity, { pods: podCount, shareAsPlanned: 1, secondWaveNodes: 0 }, "where pods went");
  },
};
