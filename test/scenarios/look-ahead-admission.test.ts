import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  doubleRequests,
  enforceQuota,
  metric,
  minute,
  play,
  refuse,
  reviewPods,
  running,
  type Scene,
  web,
} from "./look-ahead-stage.ts";
import { deployment, pod } from "./manifests.ts";

const hour = 60 * minute;

/** A pod of the same namespace and service account that is admitted as it is, so that templates are trusted. */
async function gainTrust({ story }: Scene): Promise<void> {
  story.whole.load(deployment("other", 1, { cpu: "1" }));
  story.whole.start();
  await story.pass(40_000);
  story.expect([running(story), story.bought], [1, 1]);
}

describe("of a Deployment of 10,000 replicas", () => {
  for (const [resource, milliseconds] of [
    ["pods", hour],
    ["requests.cpu", 10 * minute],
    ["limits.cpu", 10 * minute],
  ] as const) {
    it(`machines are bought for the ten pods that a quota of ${resource} allows, and no more later`, () =>
      play({}, async ({ story, purchases }) => {
        enforceQuota(story, { [resource]: "10" });
        const resources = { requests: { cpu: "1" }, limits: { cpu: "1" } };
        story.whole.load(web(10_000, { spec: { containers: [{ name: "main", image: "main:1", resources }] } }));
        story.whole.start();
        await story.pass(minute);
        story.expect([purchases.count, running(story), story.pending], [4, 10, []]);
        await story.pass(milliseconds);
        story.expect([purchases.count, running(story), story.nodes.length], [4, 10, 4]);
        story.expect(metric(story, "nodes_bought_for_dropped_pods_total"), 0);
      }));
  }
});

describe("a webhook that refuses every pod", () => {
  it("lets nothing be bought for a template that no pod was ever admitted of", () =>
    play({}, async ({ story, purchases }) => {
      const end = reviewPods(story, "web", () => refuse("no"));
      // Plans are made for the pod that exists.
      story.whole.load(web(40), pod("lone", { cpu: "3" }));
      story.whole.start();
      await story.pass(hour);
      story.expect(purchases.count, 1);
      end();
      await story.pass(2 * minute);
      story.expect([story.pending, running(story)], [[], 41]);
    }));

  it("costs one wave of machines where templates are trusted, which goes again", () =>
    play({ bootSeconds: 30 }, async (scene) => {
      const { story, purchases } = scene;
      reviewPods(story, "web", () => refuse("no"));
      story.whole.load(deployment("other", 1, { cpu: "1" }), deployment("third", 1, { cpu: "3" }));
      story.whole.start();
      await story.pass(1_000);
      story.whole.load(web(40), pod("lone", { cpu: "3" }));
      await story.pass(hour);
      const wave = Math.ceil(40 / 3);
      assert.ok(purchases.count <= wave + 3, `${purchases.count} NodeClaims`);
      assert.ok(purchases.laterThan(60) === 0, "more is bought after a minute");
      assert.ok(story.nodes.length <= 3, `${story.nodes.length} nodes for three pods`);
      assert.ok(metric(story, "nodes_bought_for_dropped_pods_total") >= wave - 2, "it is counted");
      story.expect([metric(story, "pods_expected"), story.pending], [0, []]);
    }));
});

describe("a webhook that doubles every request", () => {
  const half = web(40, { cpu: "750m" });
  /** Two pods of 1.5 cores on each machine. */
  const needed = 20;

  it("is planned with as soon as a pod was admitted", () =>
    play({ bootSeconds: 30 }, async ({ story, purchases }) => {
      reviewPods(story, "web", doubleRequests);
      story.whole.load(half);
      story.whole.start();
      await story.pass(3 * minute);
      story.expect([purchases.count, purchases.laterThan(1), running(story)], [needed, 0, 40]);
    }));

  it("is mended by a second wave, and no third, where machines were bought by the template", () =>
    play({ bootSeconds: 30 }, async (scene) => {
      const { story, purchases } = scene;
      await gainTrust(scene);
      const end = reviewPods(story, "web", () => refuse("not yet"));
      story.whole.load(half, pod("lone", { cpu: "3" }));
      await story.pass(3_000);
      const before = purchases.count;
      assert.ok(before >= 9, `${before} NodeClaims by the template`);
      end();
      reviewPods(story, "web", doubleRequests);
      await story.pass(5 * minute);
      story.expect([running(story, "web"), story.pending], [40, []]);
      assert.ok(purchases.count <= needed + 3, `${purchases.count} NodeClaims`);
    }));
});

describe("a webhook that adds gates", () => {
  for (const isTrusted of [false, true]) {
    it(`keeps machines from being bought until a gate is removed${isTrusted ? ", also where templates are trusted" : ""}`, () =>
      play({}, async (scene) => {
        const { story, purchases } = scene;
        reviewPods(story, "web", ({ spec }) => {
          Object.assign(spec, { schedulingGates: [{ name: "example.com/wait" }] });
        });
        if (isTrusted) await gainTrust(scene);
        else story.whole.start();
        const before = purchases.count;
        story.whole.load(web(40));
        await story.pass(20 * minute);
        story.expect([purchases.count - before, metric(story, "pods_expected")], [0, 0]);
        for (const gated of story.pods.filter(({ metadata }) => metadata.labels?.app === "web").slice(0, 3))
          story.whole.change({ apiVersion: "v1", kind: "Pod", metadata: gated.metadata }, (current) => ({
            ...current,
            spec: { ...(current.spec as object), schedulingGates: [] },
          }));
        await story.pass(minute);
        story.expect([purchases.count - before, running(story, "web")], [1, 3]);
      }));
  }
});

it("pods whose gates were removed do not make a template trusted, not even for a process that starts anew", () =>
  play({}, async ({ story, purchases }) => {
    for (const app of ["first", "web"])
      reviewPods(story, app, ({ spec }) => {
        Object.assign(spec, { schedulingGates: [{ name: "example.com/wait" }] });
      });
    story.whole.load(deployment("first", 2, { cpu: "1" }));
    story.whole.start();
    await story.pass(5_000);
    for (const { metadata } of story.pods)
      story.whole.change({ apiVersion: "v1", kind: "Pod", metadata }, (current) => ({
        ...current,
        spec: { ...(current.spec as object), schedulingGates: [] },
      }));
    await story.pass(minute);
    story.restart();
    await story.pass(30_000);
    const before = purchases.count;
    const end = reviewPods(story, "web", () => refuse("later"));
    story.whole.load(web(40), pod("lone", { cpu: "100m" }));
    await story.pass(5_000);
    end();
    story.expect(purchases.count - before, 0);
  }));

it("no machines are bought for pods of another scheduler that have not been refused", () =>
  play({}, async ({ story, purchases }) => {
    story.whole.load(deployment("gang", 12, { cpu: "1", spec: { schedulerName: "volcano" } }));
    story.whole.start();
    await story.pass(5_000);
    story.expect(purchases.count, 0);
    story.whole.load(pod("lone", { cpu: "100m" }));
    await story.pass(20_000);
    story.expect([purchases.count, running(story)], [1, 1]);
  }));
