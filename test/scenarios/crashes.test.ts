import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { KubeObject } from "../../src/embedded/kube-object.ts";
import { budget, daemonSet, deployment, nodeClass, nodePool } from "./manifests.ts";
import { type Story, tell } from "./story.ts";

const twoPods = deployment("web", 2, { cpu: "3" });

function setUp(story: Story, nodeRegistrationDelay: string): void {
  story.whole.load(
    nodeClass("default", { nodeRegistrationDelay }),
    nodePool("general", {
      limits: { cpu: "16" },
      spec: { requirements: [{ key: "karpenter.kwok.sh/instance-cpu", operator: "In", values: ["4", "8"] }] },
    }),
    daemonSet("agent", { cpu: "100m" }),
    budget("web", { maxUnavailable: 1 }),
    twoPods,
  );
  story.whole.start();
}

/** Machines come, then one claim is deleted, and one node. */
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
    await story.pass(60_000);
    // Two to begin with, and one for each that went: nobody buys anew what is on its way.
    story.expect([story.pending, story.bought], [[], 4]);
    await story.tearDown();
    processes = story.whole.starts;
  });
  return processes > 1;
}

/**
 * With every eleventh of its ninety writes; the others are for other seeds. Every one, which takes half a minute:
 * `RANDOM_RUNS=1 npx node --test test/scenarios/crashes.test.ts`.
 */
const stride = process.env.RANDOM_RUNS === undefined ? 11 : 1;
const offset = Number(process.env.RANDOM_SEED ?? 1);

describe("a process that is killed after one of its writes", () => {
  for (const [index, delay] of ["0s", "10s"].entries()) {
    it(`leaves nothing that the next one does not mend, with machines that take ${delay} to join`, async () => {
      let count = 1 + ((offset + 5 * index) % stride);
      while (await crashAfter(count, delay)) count += stride;
      assert.ok(count > 50, `no process died after ${count} writes`);
    });
  }
});
