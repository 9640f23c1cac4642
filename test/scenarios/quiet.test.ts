import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { budget, daemonSet, deployment, nodeClass, nodePool } from "./manifests.ts";
import { type Story, tell } from "./story.ts";

const limits = { cpu: "100" };
const tenPods = deployment("web", 10);

/** The lease every two seconds, the node classes every ten, and little else. */
const mostRequests = 75;
const mostReconciles = 60;

describe("a controller with nothing to do stays quiet", () => {
  it("when all pods have their place", () =>
    tell({}, async (story) => {
      story.whole.load(nodeClass(), nodePool("general", { limits }), tenPods);
      story.whole.start();
      await story.pass(60_000);
      await checkQuiet(story);
      story.expect(story.pending, []);
      story.expect(story.errors, []);
    }));

  it("while machines take their time to join", () =>
    tell({}, async (story) => {
      story.whole.load(
        nodeClass("default", { nodeRegistrationDelay: "12m" }),
        nodePool("general", { limits }),
        tenPods,
      );
      story.whole.start();
      await story.pass(60_000);
      await checkQuiet(story);
      await story.pass(720_000);
      story.expect(story.pending, []);
      story.expect(story.errors, []);
    }));

  it("while nodes do not get ready", () =>
    tell({}, async (story) => {
      story.whole.cluster.afflict({ effect: "never-ready", share: 1 });
      story.whole.load(nodeClass(), nodePool("general", { limits }), tenPods);
      story.whole.start();
      await story.pass(120_000);
      await checkQuiet(story);
      story.expect(story.errors, []);
    }));

  it("while a limit keeps pods waiting", () =>
    tell({}, async (story) => {
      story.whole.load(nodeClass(), nodePool("general", { limits: { cpu: "2" } }), tenPods);
      story.whole.start();
      await story.pass(60_000);
      await checkQuiet(story);
    }));

  it("while pods that must not be moved keep a node from going", () =>
    tell({}, async (story) => {
      const annotations = { "karpenter.sh/do-not-disrupt": "true" };
      story.whole.load(nodeClass(), nodePool("general", { limits }), deployment("web", 10, { annotations }));
      story.whole.start();
      await story.pass(30_000);
      for (const claim of story.claims) story.whole.delete(claim);
      await story.pass(60_000);
      await checkQuiet(story);
      story.expect(story.pods.length, 10);
      story.expect(story.errors, []);
    }));
});

async function checkQuiet(story: Story): Promise<void> {
  const minutes = 5;
  const before = { requests: story.whole.sent.length, reconciles: reconciles(story) };
  await story.pass(minutes * 60_000);
  const requests = (story.whole.sent.length - before.requests) / minutes;
  assert.ok(requests <= mostRequests, `${requests} requests a minute`);
  const rounds = (reconciles(story) - before.reconciles) / minutes;
  assert.ok(rounds <= mostReconciles, `${rounds} reconciles a minute`);
}

function reconciles({ whole }: Story): number {
  let sum = 0;
  for (const [series, count] of whole.telemetry.numbers) {
    if (series.startsWith("controller_runtime_reconcile_total")) sum += count;
  }
  return sum;
}

describe("a hundred nodes", () => {
  it("come, are replaced by hand and go, within their limits and budgets", () =>
    tell({}, async (story) => {
      const { whole } = story;
      const requirements = [{ key: "karpenter.kwok.sh/instance-cpu", operator: "In", values: ["4"] }];
      whole.load(
        nodeClass("default", { nodeRegistrationDelay: "5s" }),
        nodePool("general", { limits: { cpu: "420" }, spec: { requirements } }),
        daemonSet("agent", { cpu: "100m" }),
        budget("web", { maxUnavailable: "20%" }),
        deployment("web", 300, { cpu: "1200m" }),
      );
      whole.start();
      await story.pass(60_000);
      story.expect([story.pending, story.nodes.length], [[], 100]);
      for (const claim of story.claims.slice(0, 30)) whole.delete(claim);
      await story.pass(120_000);
      story.expect([story.pending, story.nodes.length], [[], 100]);
      story.expect(story.errors, []);
      await story.tearDown();
    }));
});
