import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, test } from "node:test";
import { TerminatorStage } from "../support/terminator-stage.ts";

describe("the terminator", () => {
  let stage: TerminatorStage;

  beforeEach(() => {
    stage = new TerminatorStage();
  });

  afterEach(() => stage.stop());

  describe("a claim that is deleted", () => {
    test("takes its node and its machine with it, the pods first", async () => {
      await stage.startWith("a");
      stage.addPod("web", "a");
      await stage.clock.advance(5_000);
      await stage.deleteClaim("a");
      await stage.clock.advance(1_000);
      assert.deepEqual(stage.left, { claims: ["a"], nodes: ["a"], machines: ["a"] });
      assert.equal(stage.condition("a", "Drained"), "Unknown Draining");
      await stage.secondsUntilGone();
      assert.equal(stage.hasPod("web"), false);
      assert.deepEqual(stage.reasonsFor("web"), ["Evicted"]);
      assert.deepEqual(stage.messagesOf("Evicted"), ["Evicted pod: Forceful Termination"]);
    });

    test("counts what it did", async () => {
      await stage.startWith("a");
      stage.addPod("web", "a");
      await stage.clock.advance(5_000);
      await stage.deleteClaim("a");
      const seconds = await stage.secondsUntilGone();
      assert.equal(stage.number('pods_eviction_requests_total{code="200"}'), 1);
      assert.equal(stage.number('pods_drained_total{reason="Forceful Termination"}'), 1);
      assert.equal(stage.number('nodes_drained_total{nodepool="default"}'), 1);
      assert.equal(stage.number('nodes_terminated_total{nodepool="default",zone="zone-a"}'), 1);
      assert.equal(
        stage.number('nodeclaims_terminated_total{nodepool="default",capacity_type="spot",zone="zone-a"}'),
        1,
      );
      const { observations } = stage.bench.telemetry;
      const durations = [
        'nodes_termination_duration_seconds{nodepool="default"}',
        'nodeclaims_termination_duration_seconds{nodepool="default"}',
      ].map((series) => observations.get(series)?.length);
      assert.deepEqual(durations, [1, 1]);
      assert.equal(observations.get('nodes_lifetime_duration_seconds{nodepool="default"}')?.length, 1);
      assert.equal(observations.get('nodeclaims_instance_termination_duration_seconds{nodepool="default"}')?.length, 1);
      assert.ok(seconds > 4 && seconds < 40, `${seconds} s`);
    });

    test("lets its node be empty for five seconds, and no longer", async () => {
      await stage.startWith("a");
      await stage.deleteClaim("a");
      const seconds = await stage.secondsUntilGone();
      // Times on objects are whole seconds, so a part of the first one may be missing.
      assert.ok(seconds > 4 && seconds < 5.2, `${seconds} s`);
    });

    test("drains a pod that is bound after the cordon", async () => {
      await stage.startWith("a");
      await stage.deleteClaim("a");
      await stage.clock.advance(4_000);
      stage.addPod("late", "a");
      await stage.secondsUntilGone();
      assert.deepEqual(stage.reasonsFor("late"), ["Evicted"]);
    });

    test("waits for a machine that takes its time, and does not ask all the time", async () => {
      stage.park.endMilliseconds = 60_000;
      await stage.startWith("a");
      await stage.deleteClaim("a");
      await stage.clock.advance(6_000);
      assert.equal(stage.condition("a", "InstanceTerminating"), "True InstanceTerminating");
      assert.equal(stage.condition("a", "Drained"), "True Drained");
      assert.equal(stage.condition("a", "VolumesDetached"), "True VolumesDetached");
      const seconds = await stage.secondsUntilGone();
      assert.ok(seconds >= 59 && seconds < 65, `${seconds} s`);
      assert.ok(stage.park.orders.length < 25, `asked ${stage.park.orders.length} times`);
    });

    test("ends a machine that never registered without draining", async () => {
      stage.addClaim("a", { conditions: ["Launched"] });
      stage.park.add("test:///a", "a");
      await stage.start();
      await stage.deleteClaim("a");
      assert.ok((await stage.secondsUntilGone()) < 1);
    });

    test("ends a machine that only the cloud knows of", async () => {
      stage.addClaim("a", { conditions: [], providerId: "" });
      stage.park.add("test:///elsewhere", "a");
      stage.park.add("test:///other", "b");
      stage.park.endMilliseconds = 3_000;
      await stage.start();
      await stage.deleteClaim("a");
      await stage.clock.advance(10_000);
      assert.deepEqual(stage.left, { claims: [], nodes: [], machines: ["b"] });
    });

    test("shares the search for machines with the others that end", async () => {
      const names = Array.from({ length: 50 }, (_, index) => `c-${index}`);
      for (const name of names) stage.addClaim(name, { conditions: [], providerId: "" });
      stage.park.add("test:///elsewhere", "c-7");
      let searches = 0;
      const { cloud } = stage.park;
      const { list } = cloud;
      cloud.list = () => {
        searches++;
        return list();
      };
      for (const name of names) await stage.deleteClaim(name);
      await stage.start();
      await stage.clock.advance(10_000);
      assert.deepEqual(stage.left, { claims: [], nodes: [], machines: [] });
      assert.ok(searches <= 2, `${searches} searches`);
    });

    test("goes at once when there never was a machine", async () => {
      stage.addClaim("a", { conditions: [], providerId: "" });
      await stage.start();
      await stage.deleteClaim("a");
      assert.ok((await stage.secondsUntilGone()) < 1);
    });

    test("of another controller's node class is left alone", async () => {
      stage.addClaim("a", { spec: { nodeClassRef: { group: "other.example", kind: "Other", name: "x" } } });
      await stage.start();
      await stage.deleteClaim("a");
      await stage.clock.advance(60_000);
      assert.deepEqual(stage.left.claims, ["a"]);
    });
  });

  describe("a node that is deleted by hand", () => {
    test("ends its claim and its machine", async () => {
      await stage.startWith("a");
      await stage.deleteNode("a");
      await stage.secondsUntilGone();
      assert.equal(stage.left.claims.length, 0);
    });

    test("keeps new pods and traffic away while it drains", async () => {
      await stage.startWith("a");
      stage.addPod("held", "a", { metadata: { annotations: { "karpenter.sh/do-not-disrupt": "true" } } });
      await stage.deleteNode("a");
      await stage.clock.advance(10_000);
      const node = stage.cluster.nodes.get("a");
      assert.deepEqual(
        node?.writtenTaints.map(({ key, effect }) => `${key}:${effect}`),
        ["karpenter.sh/disrupted:NoSchedule"],
      );
      assert.equal(node?.labels.get("node.kubernetes.io/exclude-from-external-load-balancers"), "karpenter");
      assert.deepEqual(stage.reasonsFor("a"), ["FailedDraining"]);
      assert.equal(stage.requestsTo(/eviction/), 0);
    });

    test("is drained and let go when it has no claim, and no machine is ended", async () => {
      stage.addBareNode("a");
      await stage.start();
      await stage.clock.advance(2_000);
      stage.addPod("web", "a");
      await stage.clock.advance(2_000);
      await stage.deleteNode("a");
      await stage.secondsUntilGone();
      assert.deepEqual(stage.reasonsFor("web"), ["Evicted"]);
      assert.deepEqual(stage.park.orders, []);
    });

    test("is let go without ending a machine that several claims name", async () => {
      stage.addNode("a");
      stage.addClaim("b", { providerId: "test:///a" });
      await stage.start();
      await stage.clock.advance(2_000);
      await stage.deleteNode("a");
      await stage.clock.advance(60_000);
      assert.deepEqual(stage.left, { claims: ["a", "b"], nodes: [], machines: ["a"] });
    });

    test("is not ours to drain without our node class or a claim", async () => {
      stage.addBareNode("a", { labels: {} });
      await stage.start();
      await stage.deleteNode("a");
      await stage.clock.advance(60_000);
      assert.deepEqual(stage.left.nodes, ["a"]);
    });

    test("goes without a drain when it is not ready and its machine is gone", async () => {
      await stage.startWith("a");
      stage.addPod("web", "a");
      stage.bench.embedded.kubelets.stopNode("a");
      await stage.clock.advance(60_000);
      stage.park.lose("test:///a");
      await stage.deleteNode("a");
      assert.ok((await stage.secondsUntilGone()) < 1);
      assert.equal(stage.requestsTo(/eviction/), 0);
    });

    test("is drained although the cloud knows no machine, while it is ready", async () => {
      await stage.startWith("a");
      stage.addPod("web", "a");
      await stage.clock.advance(2_000);
      stage.park.lose("test:///a");
      await stage.deleteNode("a");
      await stage.secondsUntilGone();
      assert.deepEqual(stage.reasonsFor("web"), ["Evicted"]);
    });

    test("stops draining when its machine is lost in the middle", async () => {
      await stage.startWith("a");
      stage.addPod("held", "a", { metadata: { annotations: { "karpenter.sh/do-not-disrupt": "true" } } });
      await stage.deleteNode("a");
      await stage.clock.advance(10_000);
      stage.bench.embedded.kubelets.stopNode("a");
      await stage.clock.advance(60_000);
      assert.deepEqual(stage.left.nodes, ["a"]);
      stage.park.lose("test:///a");
      assert.ok((await stage.secondsUntilGone()) <= 6);
    });
  });
});
