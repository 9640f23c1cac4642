import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { JsonObject } from "../../src/core/api/schema/json.ts";
import { editSpec, metric, minute, play, running, type Scene, web } from "./look-ahead-stage.ts";
import { type Manifest, pod } from "./manifests.ts";
import type { Story } from "./story.ts";

const sixty = web(60);

/** All sixty pods have their machines, and a third of them exists. */
async function orderMachines({ story, purchases }: Scene): Promise<void> {
  story.whole.load(sixty);
  story.whole.start();
  await story.pass(2_000);
  story.expect([purchases.count, story.nodes.length], [20, 0]);
  assert.ok(story.pods.length < 40, "the stream goes on");
}

describe("while the machines of a Deployment boot, it", () => {
  it("can be deleted: nothing more is bought, and the nodes go", () =>
    play({ bootSeconds: 40 }, async (scene) => {
      const { story, purchases } = scene;
      await orderMachines(scene);
      story.whole.delete(sixty);
      await story.pass(5 * minute);
      story.expect([purchases.count, story.claims.length, story.nodes.length], [20, 0, 0]);
      assert.ok(metric(story, "nodes_bought_for_dropped_pods_total") > 0, "it is counted");
    }));

  it("can be scaled down: nothing more is bought, and the nodes that it does not need go", () =>
    play({ bootSeconds: 40 }, async (scene) => {
      const { story, purchases } = scene;
      await orderMachines(scene);
      story.scale(sixty, 9);
      await story.pass(10 * minute);
      story.expect([purchases.count, running(story), story.nodes.length], [20, 9, 3]);
    }));

  it("can be paused: its pods keep coming, and it still scales", () =>
    play({ bootSeconds: 40 }, async (scene) => {
      const { story, purchases } = scene;
      await orderMachines(scene);
      editSpec(story, sixty, (spec) => ({ ...spec, paused: true }));
      await story.pass(1_000);
      story.scale(sixty, 75);
      await story.pass(2 * minute);
      story.expect([purchases.count, running(story), story.nodes.length], [25, 75, 25]);
    }));

  it("can be replaced by another of its name: nothing is bought twice", () =>
    play({ bootSeconds: 40 }, async (scene) => {
      const { story, purchases } = scene;
      await orderMachines(scene);
      story.whole.delete(sixty);
      story.whole.load(sixty);
      await story.pass(10 * minute);
      story.expect([running(story), story.nodes.length], [60, 20]);
      assert.ok(purchases.count <= 20, `${purchases.count} NodeClaims`);
    }));
});

describe("a rollout with a surge of 100 %", () => {
  it("gets the nodes of the surge once, and gives up as many", () =>
    play({ bootSeconds: 20 }, async ({ story, purchases }) => {
      const rolling = rollingDeployment(18);
      story.whole.load(rolling);
      story.whole.start();
      await story.pass(minute);
      story.expect([purchases.count, running(story)], [6, 18]);
      editSpec(story, rolling, (spec) => ({ ...spec, template: rollingDeployment(18, "2").spec.template }));
      await story.pass(10 * minute);
      const updated = story.pods.filter(({ metadata }) => metadata.annotations?.version === "2");
      story.expect([updated.length, story.pods.length, story.nodes.length], [18, 18, 6]);
      story.expect([purchases.count, purchases.mostNodes], [12, 12]);
    }));
});

function rollingDeployment(replicas: number, version = "1"): Manifest & { readonly spec: JsonObject } {
  const manifest = web(replicas, { annotations: { version } });
  const strategy = { type: "RollingUpdate", rollingUpdate: { maxSurge: "100%", maxUnavailable: 0 } };
  return { ...manifest, spec: { ...(manifest.spec as JsonObject), strategy } };
}

describe("an HPA that asks for 2 and 40 pods in turn, every 15 s,", () => {
  it("makes us buy no more than 40 pods need", () =>
    play({ bootSeconds: 40 }, async ({ story, purchases }) => {
      const two = web(2);
      story.whole.load(two);
      story.whole.start();
      await flap(story, two);
      // One more: the two pods and the 38 others may be planned apart.
      assert.ok(purchases.count <= 15, `${purchases.count} NodeClaims`);
      assert.ok(purchases.dollars < 1.65, `$${purchases.dollars}/h`);
      await story.pass(minute);
      story.expect([running(story), story.pending], [40, []]);
    }));
});

async function flap(story: Story, object: Manifest): Promise<void> {
  for (let times = 0; times <= 20; times++) {
    await story.pass(15_000);
    story.scale(object, times % 2 === 0 ? 40 : 2);
  }
}

describe("two workloads whose pods have the same labels", () => {
  it("get what they get with labels of their own, also when one of them adopts a pod", () =>
    play({ bootSeconds: 20 }, async ({ story, purchases }) => {
      const { metadata, ...rest } = web(20, { cpu: "1500m" });
      story.whole.load(pod("orphan", { cpu: "1", labels: { app: "web" } }));
      story.whole.load(web(20), { ...rest, metadata: { ...metadata, name: "big" } });
      story.whole.start();
      await story.pass(3 * minute);
      story.expect([running(story), story.pending], [41, []]);
      // 20 machines hold 20 pods of each kind; the 41st pod may need one more.
      assert.ok(purchases.count <= 21, `${purchases.count} NodeClaims`);
    }));
});

describe("a pod of no workload", () => {
  it("keeps a stream of pods, whose number is known, from being planned no longer than a second", () =>
    play({ bootSeconds: 40 }, async ({ story, purchases }) => {
      story.whole.load(pod("lone", { cpu: "1" }), web(59));
      story.whole.start();
      await story.pass(1_500);
      assert.ok(story.pods.length < 20, "the stream goes on");
      await story.pass(20_000);
      story.expect([purchases.count, purchases.times.filter((seconds) => seconds > 1.2)], [20, []]);
    }));
});

it("a pod counts as planned from its creation at the earliest, and until it is bound however often its plan is made anew", () =>
  play({ podsPerSecond: 0.5, bootSeconds: 20 }, async ({ story }) => {
    story.whole.load(web(30));
    story.whole.start();
    await story.pass(90_000);
    const { observations } = story.whole.telemetry;
    const all = observations.get("pods_bound_duration_seconds{}") ?? [];
    const planned = observations.get("pods_provisioning_bound_duration_seconds{}") ?? [];
    story.expect([all.length, planned.length, Math.max(...planned) >= 20], [30, 30, true]);
    story.expect(
      planned.filter((seconds, index) => seconds > all[index]!),
      [],
    );
  }));

describe("a pool at its limit", () => {
  const names = Array.from({ length: 10 }, (_, index) => `real-${index}`);
  const withoutPlace = ({ pods, whole }: Story): readonly string[] => {
    const { intendedPods } = whole.controller.cluster;
    const real = pods.filter(({ metadata }) => names.includes(metadata.name));
    return real
      .filter(({ metadata }) => intendedPods.claimOf(metadata.uid) === undefined)
      .map(({ metadata }) => metadata.name);
  };

  for (const priorityClassName of ["", "high"]) {
    it(`has room for the pods that exist before those that are expected${priorityClassName === "" ? "" : ", even of a higher priority"}`, () =>
      play({ podsPerSecond: 0.5, pool: { limits: { cpu: "16" } } }, async ({ story, purchases }) => {
        story.whole.load({
          apiVersion: "scheduling.k8s.io/v1",
          kind: "PriorityClass",
          metadata: { name: "high" },
          value: 1_000,
        });
        story.whole.load(web(60, { spec: { priorityClassName } }), ...names.map((name) => pod(name, { cpu: "1" })));
        story.whole.start();
        await story.pass(4_000);
        story.expect([purchases.count, withoutPlace(story)], [4, []]);
        await story.pass(minute);
        story.expect([purchases.count, running(story)], [4, 12]);
      }));
  }

  it("gives the room of expected pods to pods that come meanwhile", () =>
    play({ podsPerSecond: 0.2, bootSeconds: 40, pool: { limits: { cpu: "16" } } }, async ({ story, purchases }) => {
      story.whole.load(web(12));
      story.whole.start();
      await story.pass(5_000);
      story.expect(purchases.count, 4);
      story.whole.load(...names.slice(0, 6).map((name) => pod(name, { cpu: "1" })));
      await story.pass(6_000);
      story.expect([purchases.count, withoutPlace(story)], [4, []]);
    }));
});

describe("a drain with a surge", () => {
  for (const [maxSurge, claims] of [
    [3, 1],
    ["100%", 4],
  ] as const) {
    it(`of ${maxSurge} gets nodes for the pods of the surge alone`, () =>
      play({ bootSeconds: 40 }, async ({ story, purchases }) => {
        const manifest = web(12, { annotations: { "karpenter.sh/drain-strategy": "surge" } });
        const strategy = { type: "RollingUpdate", rollingUpdate: { maxSurge, maxUnavailable: 0 } };
        story.whole.load({ ...manifest, spec: { ...(manifest.spec as JsonObject), strategy } });
        story.whole.start();
        await story.pass(2 * minute);
        const before = purchases.count;
        story.whole.delete(story.claims[0]!);
        await story.pass(40_000);
        story.expect([purchases.count - before, running(story)], [claims, 12]);
        await story.pass(5 * minute);
        story.expect([story.nodes.length, running(story), story.pods.length], [4, 12, 12]);
      }));
  }
});
