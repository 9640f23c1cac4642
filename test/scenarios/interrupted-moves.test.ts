import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { lease } from "../support/whole-controller.ts";
import {
  cores,
  eager,
  eagerPool,
  editions,
  expectCalm,
  growTooLarge,
  relabel,
  typesOf,
  web,
} from "./disruption-stage.ts";
import { apart, budget, daemonSet, deployment, nodeClass, nodePool } from "./manifests.ts";
import { type Story, tell } from "./story.ts";

/** Nodes of an earlier edition, one for each pod, two of which may go at once. */
async function drift(story: Story, nodeRegistrationDelay: string): Promise<() => boolean> {
  const pool = nodePool("general", {
    limits: { cpu: "40" },
    disruption: { consolidateAfter: "30s", budgets: [{ nodes: "2" }] },
    spec: { requirements: cores(2) },
  });
  story.whole.load(
    nodeClass("default", { nodeRegistrationDelay }),
    pool,
    daemonSet("agent", { cpu: "100m" }),
    budget("loner", { maxUnavailable: 1 }),
    deployment("loner", 3, { spec: apart("loner") }),
  );
  story.whole.start();
  await story.pass(30_000);
  relabel(story, pool, "second");
  return () => editions(story, "second") === 3 && story.nodes.length === 3;
}

/** A machine that is too large for what is left on it. */
async function shrink(story: Story, nodeRegistrationDelay: string): Promise<() => boolean> {
  await growTooLarge(story, { nodeRegistrationDelay });
  return () => typesOf(story).join() === "c-4x-amd64-linux";
}

/** Two large machines, for which two small ones would do. */
async function exchange(story: Story, nodeRegistrationDelay: string): Promise<() => boolean> {
  story.whole.load(
    nodeClass("default", { nodeRegistrationDelay }),
    eagerPool({ limits: { cpu: "100" } }),
    budget("web", { maxUnavailable: 2 }),
    web,
  );
  story.whole.start();
  await story.pass(20_000);
  story.scale(web, 30);
  await story.pass(20_000);
  story.scale(web, 6);
  return () => typesOf(story).join() === "c-4x-amd64-linux,c-4x-amd64-linux";
}

const stories = { drift, shrink, exchange };

/** Kills the process when it has written so often, and starts another; false when it never wrote as much. */
async function crashAfter(count: number, what: keyof typeof stories, delay: string): Promise<boolean> {
  let processes = 0;
  await tell({ seed: count }, async (story) => {
    const isDone = await stories[what](story, delay);
    story.isMended = true;
    story.whole.crashAfterWrites(count);
    story.note(`the process dies after ${count} writes`);
    await story.passUntil(isDone, 2_400_000);
    story.expect([isDone() ? "done" : typesOf(story), story.pending], ["done", []]);
    // Whatever was bought for nothing goes, and nothing else.
    await story.pass(rest);
    processes = story.whole.starts;
    story.expect([isDone(), story.marked, story.pending], [true, [], []]);
    if (what === "drift") story.expect(story.bought, 6);
    await expectCalm(story, rest);
  });
  return processes > 1;
}

/** Every write: `RANDOM_RUNS=1 npx node --test test/scenarios/interrupted-moves.test.ts`. */
const isThorough = process.env.RANDOM_RUNS !== undefined;
const stride = isThorough ? 1 : 53;
const rest = isThorough ? 900_000 : 120_000;
const offset = Number(process.env.RANDOM_SEED ?? 1);

describe("a process that is killed while nodes are replaced", () => {
  for (const [index, what] of (["drift", "shrink", "exchange"] as const).entries()) {
    for (const delay of ["0s", "10s"]) {
      it(`leaves nothing tainted, doubled or lost: ${what}, with machines that take ${delay} to join`, async () => {
        let count = 1 + ((offset + 5 * index + (delay === "0s" ? 0 : 8)) % stride);
        while (await crashAfter(count, what, delay)) count += stride;
        assert.ok(count > stride, "no process died");
      });
    }
  }
});

describe("a lease that is lost in the middle of a move", () => {
  for (const after of [0, 4_000, 12_000]) {
    it(`stops it, and whoever leads next finishes it: ${after / 1000} s after the replacement was asked for`, () =>
      tell({}, async (story) => {
        const { whole } = story;
        const isDone = await shrink(story, "10s");
        story.expect(await story.passUntil(() => story.marked.length > 0 && story.claims.length === 2, 120_000), true);
        await whole.clock.advance(after);
        const end = whole.cluster.faults.takeLease({ ...lease, holder: "thief", forMs: 30_000 });
        const over = story.trouble("the lease is stolen", end);
        await whole.clock.advanceUntil(() => !whole.controller.isLeader, 5_000);
        const { bought } = story;
        await story.pass(25_000);
        over();
        story.expect(await story.passUntil(isDone, 180_000), true);
        story.expect([story.bought, story.marked, story.pending, whole.starts], [bought, [], [], 1]);
        await expectCalm(story, 300_000);
      }));
  }
});

describe("a window of quiet", () => {
  it("goes on when the controller starts anew", () =>
    tell({}, async (story) => {
      const pool = eagerPool({ disruption: { ...eager, consolidateAfter: "10m" } });
      await growTooLarge(story, { pool });
      const quietSince = story.whole.clock.now();
      while (story.marked.length === 0 && story.whole.clock.now() < quietSince + 1_200_000) {
        await story.pass(110_000);
        story.expect(story.marked.length === 0 || story.whole.clock.now() - quietSince > 590_000, true);
        if (story.marked.length === 0 && story.chosen() === 0) story.restart();
        else break;
      }
      const lasted = story.whole.clock.now() - quietSince;
      assert.ok(lasted < 780_000, `${lasted / 1000} s`);
      story.expect(await story.passUntil(() => typesOf(story).join() === "c-4x-amd64-linux", 120_000), true);
      await expectCalm(story, 300_000);
    }));

  it("after a move that failed goes on when the controller starts anew", () =>
    tell({}, async (story) => {
      await growTooLarge(story);
      story.whole.market.refuse = () => "sold out";
      for (let i = 0; i < 15; i++) {
        await story.pass(120_000);
        story.restart();
      }
      await story.pass(60_000);
      assert.ok(story.bought >= 2 && story.bought <= 5, `${story.bought} claims in half an hour`);
      story.expect([story.marked, story.evictions], [[], 0]);
    }));
});
