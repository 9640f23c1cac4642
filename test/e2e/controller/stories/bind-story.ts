import type { Story } from "../scene.ts";

const pool = "bind";
const podCount = 50;

/** The controller binds what it has planned. */
export const bindStory: Story = {
  name: pool,
  about: "with the placement policy Bind, a burst fills the nodes of one tight plan",
  environment: { PLACEMENT_POLICY: "Bind" },
  async play(scene) {
    await scene.addPool(pool);
    await scene.addDeployment("web", podCount, { pool });
    const pods = await scene.untilRunning("web", podCount);
    const nodes = new Set(pods.map(({ spec }) => spec?.nodeName));
    const claims = await scene.claims(pool);
    const needed = Math.ceil(podCount / 3);
    scene.same([nodes.size, claims.length], [needed, needed], "nodes that the pods are on, and claims");
  },
};
