import { describe, it } from "node:test";
import {
  annotate,
  cores,
  eagerPool,
  editSpec,
  expectCalm,
  growTooLarge,
  relabel,
  typesOf,
} from "./disruption-stage.ts";
import { apart, budget, deployment, nodeClass, pod } from "./manifests.ts";
import { type Story, tell } from "./story.ts";

const large = ["c-16x-amd64-linux"];
const small = ["c-4x-amd64-linux"];
const held = { "karpenter.sh/do-not-disrupt": "true" };

/** Until the move has been decided, and nothing has been done about it. */
async function untilPlanned(story: Story): Promise<void> {
  const isPlanned = () =>
    story.whole.controller.decisions.some(({ reason, moves }) => reason === "Underutilized" && moves.length > 0);
  story.expect(await story.passUntil(isPlanned, 120_000), true);
  story.expect(story.chosen(), 0);
}

/** Until the replacement is on its way. */
async function untilBegun(story: Story): Promise<void> {
  story.expect(await story.passUntil(() => story.marked.length > 0 && story.claims.length === 2, 120_000), true);
}

function bringTo(story: Story, node: string | undefined, parts: Parameters<typeof pod>[1]): void {
  story.note("a pod comes");
  const spec = { nodeName: node, tolerations: [{ operator: "Exists" }], ...parts?.spec };
  story.whole.load(pod("late", { cpu: "100m", ...parts, spec }));
}

const arrivals: readonly (readonly [string, (story: Story) => void, (story: Story) => void])[] = [
  [
    "a pod that must not be disturbed",
    (story) => bringTo(story, story.nodes[0]?.metadata.name, { annotations: held }),
    (story) => story.whole.delete(pod("late")),
  ],
  [
    "a budget that lets no pod go",
    (story) => story.whole.load(budget("web", { maxUnavailable: 0 })),
    (story) => story.whole.delete(budget("web", {})),
  ],
  [
    "an annotation on the node",
    (story) => {
      const [node] = story.nodes;
      if (node !== undefined) annotate(story, node, held);
    },
    (story) => {
      const [node] = story.nodes;
      if (node !== undefined) annotate(story, node, { "karpenter.sh/do-not-disrupt": null });
    },
  ],
  [
    "a pause of the pool",
    (story) => annotate(story, eagerPool(), { "karpenter.sh/paused": "true" }),
    (story) => annotate(story, eagerPool(), { "karpenter.sh/paused": null }),
  ],
];

describe("a move that was decided", () => {
  for (const [what, arrive, leave] of arrivals) {
    it(`is not begun when ${what} comes in between, and is when it has gone`, () =>
      tell({}, async (story) => {
        await growTooLarge(story);
        await untilPlanned(story);
        arrive(story);
        await expectCalm(story, 300_000);
        story.expect(typesOf(story), large);
        leave(story);
        story.expect(await story.passUntil(() => typesOf(story).join() === small.join(), 180_000), true);
        await expectCalm(story, 300_000);
      }));

    it(`is taken back when ${what} comes while the replacement boots, and nothing is lost or doubled`, () =>
      tell({}, async (story) => {
        await growTooLarge(story, { nodeRegistrationDelay: "20s" });
        await untilBegun(story);
        arrive(story);
        await story.pass(900_000);
        // The replacement is a node like any other now, and goes, being empty.
        story.expect([story.evictions, story.marked, story.bought <= 3], [0, [], true]);
        story.expect(typesOf(story).includes("c-16x-amd64-linux"), true);
        leave(story);
        const isDone = () => typesOf(story).join() === small.join();
        story.expect(await story.passUntil(isDone, 1_500_000), true);
        await expectCalm(story, 300_000);
      }));

    it(`is taken back when ${what} comes while nobody leads, and the replacement boots`, () =>
      tell({}, async (story) => {
        await growTooLarge(story, { nodeRegistrationDelay: "20s" });
        await untilBegun(story);
        story.whole.crash();
        arrive(story);
        story.whole.start();
        await story.pass(300_000);
        story.expect([story.evictions, story.marked], [0, []]);
        story.expect(typesOf(story).includes("c-16x-amd64-linux"), true);
        leave(story);
        story.expect(await story.passUntil(() => typesOf(story).join() === small.join(), 1_500_000), true);
        await expectCalm(story, 300_000);
      }));
  }

  it("is dropped when a pod comes to where its pods were meant to go, and keeps them away", () =>
    tell({}, async (story) => {
      const pool = eagerPool({ spec: { requirements: cores(4) } });
      const four = deployment("web", 4, { cpu: "900m" });
      const others = deployment("other", 3, { cpu: "900m" });
      story.whole.load(nodeClass(), pool, four);
      story.whole.start();
      await story.pass(20_000);
      story.whole.load(others);
      story.scale(four, 5);
      await story.pass(20_000);
      story.whole.delete(others);
      // One is left on the one node, and two on the other.
      story.scale(four, 3);
      await untilPlanned(story);
      const [move] = story.whole.controller.decisions.flatMap(({ moves }) => moves);
      const target = story.nodes.find(({ metadata }) => !move?.nodes.includes(metadata.name));
      bringTo(story, target?.metadata.name, { spec: apart("web") });
      await expectCalm(story, 300_000);
      story.expect(story.nodes.length, 2);
      story.whole.delete(pod("late"));
      story.expect(await story.passUntil(() => story.nodes.length === 1, 180_000), true);
      await expectCalm(story, 300_000);
    }));
});

describe("a replacement", () => {
  it("that never joins leaves the old node as it was, and is tried again after a rest", () =>
    tell({}, async (story) => {
      await growTooLarge(story);
      editSpec(story, nodeClass(), { nodeRegistrationDelay: "3h" });
      await untilBegun(story);
      await story.pass(540_000);
      story.expect([story.marked.length, story.evictions], [1, 0]);
      // Ten minutes is enough.
      await story.pass(120_000);
      story.expect([story.marked, story.evictions, story.pending], [[], 0, []]);
      const { bought } = story;
      await story.pass(480_000);
      story.expect([story.bought, story.claims.length], [bought, 1]);
      editSpec(story, nodeClass(), { nodeRegistrationDelay: "0s" });
      story.expect(await story.passUntil(() => typesOf(story).join() === small.join(), 1_200_000), true);
      await expectCalm(story, 300_000);
    }));

  it("that nobody has capacity for leaves the old node as it was, and is not asked for all the time", () =>
    tell({}, async (story) => {
      await growTooLarge(story);
      story.whole.market.refuse = ({ labels }) => (labels.has("never") ? undefined : "sold out");
      story.note("the cloud has no capacity");
      await story.pass(1_800_000);
      story.expect([story.marked, story.evictions, typesOf(story), story.claims.length], [[], 0, large, 1]);
      story.expect([story.chosen() >= 1, story.bought <= 5], [true, true]);
      story.whole.market.refuse = () => undefined;
      story.note("the cloud has capacity");
      story.expect(await story.passUntil(() => typesOf(story).join() === small.join(), 900_000), true);
      await expectCalm(story, 300_000);
    }));

  it("of a drifted node that nobody has capacity for leaves the node as it was", () =>
    tell({}, async (story) => {
      const pool = eagerPool({ disruption: { consolidateAfter: "Never", budgets: [{ nodes: "1" }] } });
      await growTooLarge(story, { pool });
      story.whole.market.refuse = () => "sold out";
      relabel(story, pool, "second");
      await story.pass(1_800_000);
      story.expect([story.marked, story.evictions, typesOf(story), story.claims.length], [[], 0, large, 1]);
      story.expect([story.chosen() >= 1, story.bought <= 6], [true, true]);
      story.whole.market.refuse = () => undefined;
      story.expect(await story.passUntil(() => typesOf(story).join() === small.join(), 900_000), true);
      await expectCalm(story, 300_000);
    }));

  it("whose node gets lost before it is up leaves the old node as it was", () =>
    tell({}, async (story) => {
      await growTooLarge(story, { nodeRegistrationDelay: "20s" });
      await untilBegun(story);
      const replacement = story.claims.find(({ metadata }) => metadata.annotations?.["karpenter.sh/replaces"]);
      if (replacement !== undefined) story.whole.delete(replacement);
      await story.pass(30_000);
      story.expect([story.marked, story.evictions, typesOf(story)], [[], 0, large]);
      story.expect(await story.passUntil(() => typesOf(story).join() === small.join(), 900_000), true);
      await expectCalm(story, 300_000);
    }));
});
