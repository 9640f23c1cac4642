import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { annotate, cores, editions, editSpec, expectCalm, relabel } from "./disruption-stage.ts";
import {
  apart,
  budget,
  daemonSet,
  deployment,
  type Manifest,
  nodeClass,
  nodePool,
  type PoolParts,
} from "./manifests.ts";
import { type Story, tell } from "./story.ts";

/** As many nodes as pods, because they keep away from each other. */
async function grow(story: Story, count: number, parts: PoolParts): Promise<Manifest> {
  const pool = nodePool("general", {
    limits: { cpu: "400" },
    ...parts,
    spec: { requirements: cores(2), ...parts.spec },
  });
  story.whole.load(
    nodeClass("default", { nodeRegistrationDelay: "5s" }),
    pool,
    daemonSet("agent", { cpu: "100m" }),
    budget("web", { maxUnavailable: 3 }),
    deployment("web", count, { spec: apart("web") }),
  );
  story.whole.start();
  await story.pass(60_000);
  story.expect([story.pending, story.nodes.length], [[], count]);
  return pool;
}

/** The most nodes that were on their way out at once. */
async function passCounting(story: Story, atMost: number, isDone: () => boolean): Promise<number> {
  let most = 0;
  const end = story.whole.clock.now() + atMost;
  while (!isDone() && story.whole.clock.now() < end) {
    await story.pass(500);
    const marked = new Set(story.marked);
    for (const { metadata } of story.claims) if (metadata.deletionTimestamp !== undefined) marked.add(metadata.name);
    most = Math.max(most, marked.size);
  }
  story.expect(isDone(), true);
  return most;
}

describe("a whole pool that has drifted", () => {
  for (const [nodes, most] of [
    ["1", 1],
    ["20%", 2],
    ["100%", 7],
  ] as const) {
    it(`is replaced node by node within a budget of ${nodes}, each once`, () =>
      tell({}, async (story) => {
        const pool = await grow(story, 7, { disruption: { consolidateAfter: "Never", budgets: [{ nodes }] } });
        relabel(story, pool, "second");
        const isDone = () => editions(story, "second") === 7 && story.nodes.length === 7;
        const seen = await passCounting(story, 1_800_000, isDone);
        assert.ok(seen <= most && seen >= Math.min(most, 2), `${seen} at once`);
        story.expect([story.chosen("Drifted"), story.bought, story.evictionsOf("web")], [7, 14, 7]);
        await expectCalm(story, 300_000);
        await story.tearDown();
      }));
  }

  it("stays when its budget lets nothing go for drift, and goes when another reason has none", () =>
    tell({}, async (story) => {
      const pool = await grow(story, 4, {
        disruption: { consolidateAfter: "Never", budgets: [{ nodes: "0", reasons: ["Drifted"] }] },
      });
      relabel(story, pool, "second");
      await expectCalm(story, 300_000);
      editSpec(story, pool, {
        disruption: { consolidateAfter: "Never", budgets: [{ nodes: "0", reasons: ["Empty", "Underutilized"] }] },
      });
      story.expect(
        await story.passUntil(() => editions(story, "second") === 4 && story.nodes.length === 4, 600_000),
        true,
      );
      await expectCalm(story, 300_000);
    }));

  it("stays while it is paused, stops at once, and goes on afterwards", () =>
    tell({}, async (story) => {
      const annotations = { "karpenter.sh/paused": "true" };
      const pool = await grow(story, 6, {
        annotations,
        disruption: { consolidateAfter: "Never", budgets: [{ nodes: "1" }] },
      });
      relabel(story, pool, "second");
      await expectCalm(story, 300_000);
      story.expect(conditionOf(story, "DisruptionPaused")?.status, "True");
      annotate(story, pool, { "karpenter.sh/paused": null });
      story.expect(await story.passUntil(() => editions(story, "second") >= 2, 300_000), true);
      annotate(story, pool, annotations);
      const { bought } = story;
      await story.pass(120_000);
      const settled = editions(story, "second");
      story.expect([story.marked, story.bought, settled < 6], [[], bought, true]);
      await expectCalm(story, 300_000);
      annotate(story, pool, { "karpenter.sh/paused": null });
      const isDone = () => editions(story, "second") === 6 && story.nodes.length === 6;
      story.expect(await story.passUntil(isDone, 1_500_000), true);
      await expectCalm(story, 300_000);
    }));

  it("waits for the hour in which its budget lets it go", () =>
    tell({}, async (story) => {
      // Never but from 00:10 to 00:40: nothing goes in the hours around.
      const budgets = [
        { nodes: "0", schedule: "40 0 * * *", duration: "23h30m" },
        { nodes: "2", schedule: "10 0 * * *", duration: "30m" },
      ];
      const pool = await grow(story, 6, { disruption: { consolidateAfter: "Never", budgets } });
      relabel(story, pool, "second");
      const start = Date.parse("2026-01-01T00:10:00Z");
      await expectCalm(story, start - story.whole.clock.now() - 1_000);
      const isDone = () => editions(story, "second") === 6 && story.nodes.length === 6;
      story.expect(await story.passUntil(isDone, 1_500_000), true);
      await expectCalm(story, 300_000);
    }));

  it("of a static pool is replaced within budget and limit, and has as many nodes as before", () =>
    tell({}, async (story) => {
      const fixed = nodePool("fixed", {
        replicas: 5,
        limits: { nodes: "6" },
        disruption: { consolidateAfter: "0s", budgets: [{ nodes: "2" }] },
        spec: { requirements: cores(2) },
      });
      story.whole.load(nodeClass("default", { nodeRegistrationDelay: "5s" }), fixed);
      story.whole.start();
      await story.pass(30_000);
      story.expect(story.nodes.length, 5);
      relabel(story, fixed, "second");
      const isDone = () => editions(story, "second") === 5 && story.nodes.length === 5;
      story.expect(await story.passUntil(isDone, 1_500_000), true);
      await expectCalm(story, 300_000);
      story.expect([story.bought, story.claims.length], [10, 5]);
    }));
});

describe("nodes born together", () => {
  it("do not grow old together: each is replaced within budgets, in its own time, before it must go", () =>
    tell({}, async (story) => {
      await grow(story, 8, {
        annotations: { "karpenter.sh/soft-expire-after": "1h" },
        disruption: { consolidateAfter: "Never", budgets: [{ nodes: "1" }] },
        spec: { expireAfter: "2h" },
      });
      const first = new Set(story.nodes.map(({ metadata }) => metadata.uid));
      const left = () => story.nodes.filter(({ metadata }) => first.has(metadata.uid)).length;
      await story.pass(3_600_000 - 90_000);
      story.expect(left(), 8);
      await story.pass(240_000);
      assert.ok(left() > 0 && left() < 8, `${left()} are left`);
      await story.pass(360_000);
      story.expect([left(), story.nodes.length, story.pending], [0, 8, []]);
      story.expect([story.chosen("Drifted"), story.evictionsOf("web")], [8, 8]);
    }));

  it("go when they must although a budget let none of them be replaced before", () =>
    tell({}, async (story) => {
      await grow(story, 3, {
        annotations: { "karpenter.sh/soft-expire-after": "20m" },
        disruption: { consolidateAfter: "Never", budgets: [{ nodes: "0" }] },
        spec: { expireAfter: "40m" },
      });
      await story.pass(2_300_000);
      story.expect(story.evictions, 0);
      await story.pass(180_000);
      story.expect([story.evictionsOf("web"), story.chosen(), story.pending], [3, 0, []]);
    }));
});

function conditionOf(story: Story, wanted: string): { status: string } | undefined {
  const [pool] = story.whole.list("karpenter.sh/v1", "NodePool");
  const { conditions = [] } = (pool?.status ?? {}) as { conditions?: { type: string; status: string }[] };
  return conditions.find(({ type }) => type === wanted);
}
