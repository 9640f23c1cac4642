import { setTimeout as sleep } from "node:timers/promises";
import type { Scene, Story } from "../scene.ts";
import { leasePath } from "../troupe.ts";

const pool = "lease";

/** Who leads, and who does not. */
export const leaseStory: Story = {
  name: pool,
  about: "a controller that loses its lease stops acting and leads again later; of two, the other takes over",
  hasFaults: true,
  async play(scene) {
    const { troupe } = scene;
    await scene.addPool(pool);
    await scene.until("the controller leads", () => troupe.leads(scene.controller), 20);
    const stranger = impersonate(scene);
    try {
      await scene.until("it says that it does not lead", async () => !(await troupe.leads(scene.controller)), 15);
      await scene.addDeployment("first", 3, { pool });
      await sleep(6000);
      scene.same((await scene.claims(pool)).length, 0, "claims made by a controller that does not lead");
    } finally {
      await stranger.stop();
    }
    await scene.until("it leads again", () => troupe.leads(scene.controller), 20);
    await scene.untilRunning("first", 3);
    scene.check(
      scene.logLines().some(({ message }) => message === "stopped leading"),
      "the log does not say that the lease was lost",
    );

    const before = scene.controller;
    const other = await troupe.add();
    scene.check(await troupe.leads(before), "the first of two no longer leads");
    scene.check(!(await troupe.leads(other)), "both lead");
    await scene.addDeployment("second", 3, { pool });
    await scene.until("a claim for the new pods", async () => (await scene.claims(pool)).length === 2);
    await troupe.kill(before);
    troupe.leading = other;
    await scene.until("the other takes over", () => troupe.leads(other), 25);
    await scene.untilRunning("second", 3);
    scene.same((await scene.claims(pool)).length, 2, "claims after a change of leaders");

    const heir = await troupe.add();
    const ending = await troupe.dismiss(other, 10);
    troupe.leading = heir;
    scene.check(ending?.includes("(0)") ?? false, `a controller that was asked to stop: ${ending ?? "did not"}`);
    await scene.until("the next leads at once, because the lease was given back", () => troupe.leads(heir), 5);
  },
};

/** Holds the lease, as a controller of another make would, until it is stopped. */
function impersonate({ api }: Scene): { stop(): Promise<void> } {
  let isOver = false;
  const done = (async () => {
    while (!isOver) {
      const renewTime = new Date().toISOString().replace("Z", "000Z");
      await api.patch(leasePath, { spec: { holderIdentity: "stranger", leaseDurationSeconds: 4, renewTime } });
      await sleep(1000);
    }
  })();
  // Whoever stops it hears of what went wrong, and nobody before.
  done.catch(() => undefined);
  return {
    async stop() {
      isOver = true;
      await done;
    },
  };
}
