import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { nodePrice } from "../../src/core/model/node-price.ts";
import { cores, expectCalm, typesOf } from "./disruption-stage.ts";
import { apart, budget, daemonSet, deployment, type Manifest, nodeClass, nodePool, spread } from "./manifests.ts";
import { type Story, tell } from "./story.ts";

const hour = 3_600_000;

/** A few dozen nodes for a day instead of a handful for hours: `RANDOM_RUNS=1 npx node --test test/scenarios/calm.test.ts`. */
const isThorough = process.env.RANDOM_RUNS !== undefined;
const size = isThorough ? 5 : 1;
const longCalm = (isThorough ? 24 : 1) * hour;
const calm = (isThorough ? 3 : 0.5) * hour;
const seed = Number(process.env.RANDOM_SEED ?? 1);

const balanced = { nodeSelector: { "karpenter.sh/nodepool": "balanced" } };
const zone = "topology.kubernetes.io/zone";
const host = "kubernetes.io/hostname";

const workloads: readonly Manifest[] = [
  deployment("web", 6 * size, { cpu: "700m", memory: "1Gi", spec: spread("web", zone) }),
  deployment("api", 3 * size, { cpu: "1300m", memory: "6Gi" }),
  deployment("cache", 2 * size, { cpu: "300m", memory: "7Gi", spec: apart("cache") }),
  deployment("batch", 4 * size, { cpu: "1100m", memory: "900Mi", spec: balanced }),
  deployment("queue", 2 * size, { cpu: "400m", spec: { ...balanced, ...spread("queue", host) } }),
];

const disruption = { consolidateAfter: "1m", budgets: [{ nodes: "20%" }] };
const small = {
  requirements: [...cores(2, 4), { key: "kubernetes.io/arch", operator: "In", values: ["amd64"] }],
};

async function consolidate(story: Story): Promise<void> {
  story.whole.load(
    nodeClass("default", { nodeRegistrationDelay: "10s" }),
    nodePool("general", { limits: { cpu: "400" }, disruption, spec: small }),
    nodePool("balanced", {
      limits: { cpu: "400" },
      disruption: { ...disruption, consolidationPolicy: "Balanced" },
      spec: small,
    }),
    daemonSet("agent", { cpu: "100m", memory: "100Mi" }),
    ...workloads.map(({ metadata: { name } }) => budget(name, { maxUnavailable: "25%" })),
  );
  story.whole.start();
  // One after the other, as teams come, so that there is something to tidy up.
  for (const workload of workloads) {
    story.whole.load(workload);
    await story.pass(60_000);
  }
  await settle(story);
}

/** Until nothing has been chosen for a while. */
async function settle(story: Story): Promise<void> {
  let before = -1;
  for (let rounds = 0; story.chosen() !== before; rounds++) {
    assert.ok(rounds < 20, "the fleet does not come to rest");
    before = story.chosen();
    await story.pass(hour / 2);
  }
  story.expect(story.pending, []);
}

/** Dollars an hour of all nodes. */
function costOf(story: Story): number {
  const { instanceTypes } = story.whole.market;
  return story.nodes.reduce(
    (sum, { metadata: { labels = {} } }) => sum + (nodePrice(new Map(Object.entries(labels)), instanceTypes) || 0),
    0,
  );
}

describe("a steady fleet", () => {
  it("is left alone, also by a process that starts anew, and is changed once when prices change or pods leave so that it pays", () =>
    tell({ seed }, async (story) => {
      await consolidate(story);
      await expectCalm(story, longCalm / 2);
      story.restart();
      await expectCalm(story, longCalm / 2);

      story.note("what has much memory becomes cheap");
      story.whole.market.reprice((type) => type.startsWith("m-"), 0.3);
      await settleBelow(story, 0.8);
      await expectCalm(story, calm);

      story.note("two of three pods leave");
      for (const workload of workloads) story.scale(workload, Math.ceil(replicasOf(workload) / 3));
      await story.pass(10_000);
      await settleBelow(story, 0.7);
      await expectCalm(story, calm);
    }));
});

/** All costs so much less soon, and nobody was asked to leave more than a few times for it. */
async function settleBelow(story: Story, share: number): Promise<void> {
  const was = costOf(story);
  const { evictions } = story;
  await settle(story);
  assert.ok(costOf(story) < share * was, `$${costOf(story)} after $${was}: ${typesOf(story)}`);
  const moved = story.evictions - evictions;
  assert.ok(moved <= 3 * story.pods.length, `${moved} evictions of ${story.pods.length} pods`);
}

function replicasOf({ spec }: Manifest): number {
  return (spec as { replicas: number }).replicas;
}
