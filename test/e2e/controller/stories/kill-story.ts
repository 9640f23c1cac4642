import type { Scene, Story } from "../scene.ts";

const pool = "kill";
const podCount = 60;
/** Of 3.9 cores, so that six fit. */
const cpu = "600m";
const nodeCount = 10;

/** The controller dies again and again in the middle of a burst. */
export const killStory: Story = {
  name: pool,
  about:
    "a controller that is killed at any moment leaves no machine without a claim, no claim with two, no pod behind",
  hasFaults: true,
  async play(scene) {
    await scene.addPool(pool);
    await scene.addDeployment("web", podCount, { pool, cpu });
    const moments: readonly (readonly [words: string, isNow: () => Promise<boolean>])[] = [
      ["pods wait", async () => (await scene.pods("web")).length === podCount],
      ["there are claims", async () => (await scene.claims(pool)).length > 0],
      ["there are nodes", async () => (await scene.nodes(pool)).length > 2],
      ["nodes are registered", async () => (await countRegistered(scene)) > 1],
      ["pods run", async () => (await scene.pods("web")).some(({ status }) => status?.phase === "Running")],
    ];
    for (const [words, isNow] of moments) {
      await scene.until(words, isNow);
      await scene.troupe.replace();
    }
    await scene.untilRunning("web", podCount);
    await scene.until(
      "every claim has its one node, and every node its claim",
      async () => {
        const [claims, nodes] = await Promise.all([scene.claims(pool), scene.nodes(pool)]);
        const ofClaims = claims.map(({ status }) => status?.providerID).sort();
        const ofNodes = nodes.map(({ spec }) => spec?.providerID).sort();
        return ofClaims.every((id) => id !== undefined) && ofClaims.join() === ofNodes.join();
      },
      60,
    );
    scene.same((await scene.nodes(pool)).length, nodeCount, "nodes for a burst that needs no more");
  },
};

async function countRegistered(scene: Scene): Promise<number> {
  const nodes = await scene.nodes(pool);
  return nodes.filter(({ metadata }) => metadata?.labels?.["karpenter.sh/registered"] === "true").length;
}
