import type { Story } from "../scene.ts";

const pool = "bind";
const podCount = 50;

/** The controller binds what it has planned. */
export const bindStory: Story = {
  name: pool,
  about: "with the placement policy Bind, a burst runs on the nodes of one tight plan",
  environment: { PLACEMENT_POLICY: "Bind" },
  async play(scene) {
    await scene.addPool(pool);
    await scene.addDeployment("web", podCount, { pool });
    await scene.untilRunning("web", podCount);
    // kube-scheduler may be faster with some of them: which node each is on is not certain.
    scene.same((await scene.claims(pool)).length, Math.ceil(podCount / 3), "claims");
  },
};
