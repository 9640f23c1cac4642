import { setTimeout as sleep } from "node:timers/promises";
import type { Scene, Story } from "../scene.ts";

const pool = "apiserver";
const awaySeconds = 25;

/** The API server is silent for a while, and dies once. */
export const apiserverStory: Story = {
  name: pool,
  about: "without an API server the controller steps down, lives on, and serves new pods when it is back",
  hasFaults: true,
  async play(scene) {
    const { apiserver } = scene.controlPlane;
    await scene.addPool(pool);
    await scene.addDeployment("before", 3, { pool });
    await scene.untilRunning("before", 3);

    process.kill(apiserver.processId, "SIGSTOP");
    try {
      await sleep(awaySeconds * 1000);
      await checkAlive(scene);
      scene.check(
        !(await scene.troupe.leads(scene.controller)),
        "it says that it leads although nobody can renew a lease",
      );
    } finally {
      process.kill(apiserver.processId, "SIGCONT");
    }
    await scene.until("it leads again after the silence", () => scene.troupe.leads(scene.controller), 20);
    await scene.addDeployment("silence", 3, { pool });
    await scene.untilRunning("silence", 3);

    process.kill(apiserver.processId, "SIGKILL");
    await sleep(3000);
    await checkAlive(scene);
    await apiserver.restart();
    await scene.addDeployment("death", 3, { pool });
    await scene.untilRunning("death", 3);
    await checkAlive(scene);
    const claims = await scene.claims(pool);
    scene.same(claims.length, 3, "claims for three times three pods");
  },
};

async function checkAlive(scene: Scene): Promise<void> {
  scene.troupe.check();
  const { status } = await fetch(`${scene.controller.healthUrl}/healthz`);
  scene.same(status, 200, "the answer to /healthz without an API server");
}
