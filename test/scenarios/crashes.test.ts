import { describe, it } from "node:test";
import type { KubeObject } from "../../src/embedded/kube-object.ts";
import { budget, daemonSet, deployment, nodeClass, nodePool } from "./manifests.ts";
import { type Story, tell } from "./story.ts";

const sixPods = deployment("web", 6, { cpu: "3" });

function setUp(story: Story, nodeRegistrationDelay: string): void {
  story.whole.load(
    nodeClass("default", { nodeRegistrationDelay }),
    nodePool("general", {
      limits: { cpu: "40" },
      spec: { requirements: [{ key: "karpenter.kwok.sh/instance-cpu", operator: "In", values: ["4", "8"] }] },
    }),
    daemonSet("agent", { cpu: "100m" }),
    budget("web", { maxUnavailable: 1 }),
    sixPods,
  );
  story.whole.start();
}

/** Machines come, one claim is deleted, one node, the workload shrinks, and grows. */
async function act(story: Story): Promise<void> {
  const { whole } = story;
  await story.pass(30_000);
  const [claim, other] = story.claims;
  if (claim !== undefined) whole.delete(claim);
  await story.pass(20_000);
  const node = story.nodes.find(({ spec }) => (spec as { providerID?: string }).providerID === providerIdOf(other));
  if (node !== undefined) whole.delete(node);
  await story.pass(20_000);
}

function providerIdOf(claim: KubeObject | undefined): string {
  return (claim?.status as { providerID?: string } | undefined)?.providerID ?? "none";
}

/** Kills the process when it has written so often, and starts another; false when it never wrote as much. */
async function crashAfter(count: number, nodeRegistrationDelay: string): Promise<boolean> {
  let processes = 0;
  await tell({ seed: count }, async (story) => {
    setUp(story, nodeRegistrationDelay);
    story.whole.crashAfterWrites(count);
    story.note(`the process dies after ${count} writes`);
    story.isMended = true;
    await act(story);
    await story.pass(180_000);
    // Six to begin with, and one for each that went: nobody buys anew what is on its way.
    story.expect([story.pending, story.bought], [[], 8]);
    await story.tearDown();
    processes = story.whole.starts;
  });
  return processes > 1;
}

/** Every write, which takes two minutes: `RANDOM_RUNS=1 npx node --test test/scenarios/crashes.test.ts`. */
const stride = process.env.RANDOM_RUNS === undefined ? 29 : 1;

describe("a process that is killed after any of its writes", () => {
  for (const [delay, first] of [
    ["0s", 1],
    ["10s", 2],
  ] as const) {
    it(`leaves nothing that the next one does not mend, with machines that take ${delay} to join`, async () => {
      let count: number = first;
      while (await crashAfter(count, delay)) count += stride;
    });
  }
});
