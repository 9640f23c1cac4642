import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Fault, FaultEffect } from "../../src/embedded/faults/fault.ts";
import { lease } from "../support/whole-controller.ts";
import { budget, deployment, nodeClass, nodePool } from "./manifests.ts";
import { type Story, tell } from "./story.ts";

const web = deployment("web", 12, { cpu: "1800m" });

function setUp(story: Story, nodeRegistrationDelay = "5s"): void {
  const requirements = [{ key: "karpenter.kwok.sh/instance-cpu", operator: "In", values: ["4", "8"] }];
  story.whole.load(
    nodeClass("default", { nodeRegistrationDelay }),
    nodePool("general", { limits: { cpu: "32" }, spec: { requirements } }),
    budget("web", { maxUnavailable: "20%" }),
    web,
  );
  story.whole.start();
}

/** Nodes come while it lasts, and go while it lasts. */
async function suffer(story: Story, faults: readonly Fault[]): Promise<void> {
  const { whole } = story;
  const begin = (): (() => void) => {
    const ends = faults.map((fault) => whole.cluster.faults.inject(fault));
    // So that those that are open come to feel it, too.
    whole.breakWatches();
    return story.trouble(JSON.stringify(faults), () => {
      for (const end of ends) end();
    });
  };
  let end = begin();
  await story.pass(60_000);
  end();
  await story.pass(90_000);
  story.expect(story.pending, []);
  end = begin();
  for (const claim of story.claims.slice(0, 2)) whole.delete(claim);
  await story.pass(60_000);
  end();
  await story.pass(120_000);
  story.expect(story.pending, []);
}

const effects: readonly (readonly [string, FaultEffect, number])[] = [
  ["is slow", { effect: "slow", byMs: 2_000 }, 1],
  ["drops connections before requests arrive", { effect: "drop", at: "request" }, 0.4],
  ["drops connections before answers arrive", { effect: "drop", at: "answer" }, 0.4],
  ["breaks off its answers", { effect: "drop", at: "half-answer" }, 0.4],
  ["answers 409", { effect: "refuse", status: 409 }, 0.4],
  ["answers 429", { effect: "refuse", status: 429 }, 0.4],
  ["answers 500", { effect: "refuse", status: 500 }, 0.4],
  ["answers 503", { effect: "refuse", status: 503 }, 0.4],
  ["gives up what it has done", { effect: "time-out", afterMs: 10_000, isDone: true }, 0.3],
  ["shows what was", { effect: "stale-read", versions: 100 }, 0.5],
  ["forgets where watches were", { effect: "expire-watch" }, 0.7],
  ["tells of changes late", { effect: "delay-watch", byMs: 8_000 }, 1],
];

describe("an API server that", () => {
  for (const [what, effect, probability] of effects) {
    it(`${what} loses nothing`, () =>
      tell({}, async (story) => {
        // The simulated cloud looks in the API for machines that are booting, and what it reads there must be true.
        setUp(story, effect.effect === "stale-read" ? "0s" : "5s");
        await suffer(story, [{ ...effect, probability }]);
        await story.tearDown();
      }));
  }

  it("is away for a minute, while nodes come and while they go, loses nothing", () =>
    tell({}, async (story) => {
      setUp(story);
      await story.pass(1_000);
      await suffer(story, [{ effect: "drop", at: "request", probability: 1 }]);
      assert.ok(story.errors.length > 0, "it is said that the API cannot be reached");
      await story.tearDown();
    }));

  it("loses answers and tells of changes late makes no pool break its limits", () =>
    tell({}, async (story) => {
      const { faults } = story.whole.cluster;
      const requirements = [{ key: "karpenter.kwok.sh/instance-cpu", operator: "In", values: ["4", "8"] }];
      story.whole.load(nodeClass(), nodePool("general", { limits: { cpu: "24", nodes: "6" }, spec: { requirements } }));
      story.whole.load(deployment("web", 15, { cpu: "1800m" }));
      const ends = [
        faults.inject({ effect: "delay-watch", byMs: 6_000, probability: 1 }),
        faults.inject({ effect: "drop", at: "answer", probability: 0.4, on: { methods: ["POST", "PATCH", "DELETE"] } }),
      ];
      const over = story.trouble("answers are lost, and news is late", () => {
        for (const end of ends) end();
      });
      story.whole.start();
      await story.pass(60_000);
      over();
      await story.pass(120_000);
      story.expect(story.unexplained, []);
    }));

  it("has a webhook that refuses evictions is asked until it agrees, which is said beside the node", () =>
    tell({}, async (story) => {
      setUp(story);
      await story.pass(40_000);
      const [claim] = story.claims;
      const message = 'admission webhook "no.example" denied the request: not on a Friday';
      story.whole.tamper = (request) =>
        request.path.endsWith("/eviction") ? { status: 403, body: { message } } : request;
      const over = story.trouble("evictions are refused", () => {
        story.whole.tamper = (request) => request;
      });
      if (claim !== undefined) story.whole.delete(claim);
      await story.pass(60_000);
      story.expect(story.claims.filter(({ metadata }) => metadata.deletionTimestamp).length, 1);
      const warnings = story.whole.telemetry.happenings.filter(({ reason }) => reason === "FailedDraining");
      assert.ok(warnings.some((warning) => warning.object.kind === "Node" && warning.message.includes(message)));
      over();
      await story.pass(90_000);
      story.expect(story.claims.filter(({ metadata }) => metadata.name === claim?.metadata.name).length, 0);
      story.expect(story.pending, []);
    }));
});

describe("a lease that", () => {
  it("is stolen under load is left alone, and nothing is written until it is ours again", () =>
    tell({}, async (story) => {
      const { whole } = story;
      setUp(story);
      // So slow that whoever loses the lease is in the middle of a write.
      const on = { methods: ["POST"], path: /\/nodeclaims$/ };
      const end = whole.cluster.faults.inject({ effect: "slow", byMs: 8_000, probability: 1, on });
      const isBuying = () => whole.unanswered.some(({ path }) => path.endsWith("/nodeclaims"));
      story.expect(await whole.clock.advanceUntil(isBuying, 10_000), true);
      const over = story.trouble(
        "the lease is stolen",
        whole.cluster.faults.takeLease({ ...lease, holder: "thief", forMs: 30_000 }),
      );
      await whole.clock.advanceUntil(() => !whole.controller.isLeader, 5_000);
      const steppedDown = whole.clock.now();
      assert.ok(isBuying(), "claims are being written when the lease is lost");
      await story.pass(20_000);
      const late = whole.sent.filter(({ at, answeredAt }) => at <= steppedDown && answeredAt > steppedDown);
      assert.ok(late.some(({ request, status }) => request.path.endsWith("/nodeclaims") && status === 201));
      story.expect(writesAfter(story, steppedDown), []);
      end();
      over();
      await story.passUntil(() => whole.controller.isLeader, 60_000);
      await story.pass(60_000);
      story.expect(story.pending, []);
      story.expect(whole.starts, 1);
      await story.tearDown();
    }));

  it("cannot be renewed is given up before anybody else may take it", () =>
    tell({}, async (story) => {
      const { whole } = story;
      setUp(story);
      await story.pass(5_000);
      const fault = {
        effect: "time-out",
        afterMs: 30_000,
        isDone: false,
        probability: 1,
        on: { path: /leases/ },
      } as const;
      const over = story.trouble("the lease cannot be renewed", whole.cluster.faults.inject(fault));
      await story.pass(13_000);
      story.expect(whole.controller.isLeader, false);
      const late = whole.clock.now();
      await story.pass(15_000);
      story.expect(writesAfter(story, late), []);
      over();
      await story.pass(90_000);
      story.expect([whole.controller.isLeader, story.pending], [true, []]);
    }));
});

function writesAfter({ whole }: Story, time: number): readonly string[] {
  return whole.sent
    .filter(({ at, request }) => at > time && request.method !== "GET" && !request.path.includes("/leases"))
    .map(({ request }) => `${request.method} ${request.path}`);
}
