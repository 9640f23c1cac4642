import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { cacheOf, crowd, decide, nodeOf, podOf } from "./sample-objects.ts";
import { feasibleNodes, gateMessage, Scheduler } from "./scheduler.ts";

describe("the scheduler", () => {
  it("picks the best node, and among equals the one that chance says", () => {
    const cache = cacheOf(nodeOf("a"), nodeOf("b"), nodeOf("c"), ...crowd(1, "a"));
    const picks = [0, 0.5, 0.99].map((random) => new Scheduler(cache, () => random).schedule(podOf("p")));
    assert.deepEqual(
      picks.map((pick) => pick.kind === "placed" && pick.node),
      ["b", "c", "c"],
    );
  });

  it("says so when there is no node", () => {
    assert.equal(decide(cacheOf(), podOf("p")), "no nodes available to schedule pods");
  });

  it("counts each reason over all nodes, in the order of kube-scheduler", () => {
    const cache = cacheOf(
      nodeOf("a"),
      nodeOf("b"),
      nodeOf("c", { spec: { taints: [{ key: "k", effect: "NoSchedule" }] } }),
      podOf("there", { nodeName: "a", requests: { cpu: "3" } }),
    );
    assert.equal(
      decide(cache, podOf("p", { requests: { cpu: "2", memory: "9Gi" } })),
      "0/3 nodes are available: 1 Insufficient cpu, 1 node(s) had untolerated taint(s), 2 Insufficient memory. " +
        "no new claims to deallocate, preemption: 0/3 nodes are available: 3 Preemption is not helpful for scheduling.",
    );
  });

  it("ignores pods on a node that does not exist, until it does", () => {
    const cache = cacheOf(...crowd(1, "late"), nodeOf("a"));
    assert.deepEqual(feasibleNodes(cache, podOf("p")), ["a"]);
    cache.set(nodeOf("late", { allocatable: { pods: "1" } }));
    assert.deepEqual(feasibleNodes(cache, podOf("p")), ["a"]);
    cache.remove(nodeOf("a"));
    assert.deepEqual(feasibleNodes(cache, podOf("p")), []);
  });

  it("compares only some of many nodes, others the next time", () => {
    const cache = cacheOf(...Array.from({ length: 300 }, (_, index) => nodeOf(`n${index}`)));
    const scheduler = new Scheduler(cache, () => 0);
    const picks = [1, 2, 3].map(() => scheduler.schedule(podOf("p")));
    assert.deepEqual(
      picks.map((pick) => pick.kind === "placed" && pick.node),
      ["n0", "n144", "n288"],
    );
  });

  it("tells when a pod is not to be scheduled yet", () => {
    const gated = podOf("p", { schedulingGates: [{ name: "g" }] });
    assert.deepEqual(
      [gateMessage(gated), gateMessage(podOf("p"))],
      ["Scheduling is blocked due to non-empty scheduling gates", undefined],
    );
  });
});

describe("a nomination", () => {
  const nominated = (name: string, priority: number) =>
    podOf(name, { priority, requests: { cpu: "3" }, status: { nominatedNodeName: "a" } });

  it("is tried first", () => {
    const cache = cacheOf(nodeOf("a"), nodeOf("b"), ...crowd(3, "a"));
    assert.equal(decide(cache, nominated("p", 0)), "a");
    assert.equal(decide(cache, podOf("p")), "b");
  });

  it("is given up when the node has no room", () => {
    const cache = cacheOf(nodeOf("a", { allocatable: { cpu: "1" } }), nodeOf("b"));
    assert.equal(decide(cache, nominated("p", 0)), "b");
  });

  it("keeps room for the pod against others of the same or lower priority", () => {
    const cache = cacheOf(nodeOf("a"), nominated("first", 10));
    const places = [9, 10, 11].map((priority) =>
      feasibleNodes(cache, podOf("p", { priority, requests: { cpu: "2" } })),
    );
    assert.deepEqual(places, [[], [], ["a"]]);
    assert.deepEqual(feasibleNodes(cache, podOf("p", { requests: { cpu: "1" } })), ["a"]);
  });

  it("leaves no trace of the pod on the node", () => {
    const cache = cacheOf(nodeOf("a"), nominated("first", 10));
    feasibleNodes(cache, podOf("p"));
    const state = cache.node("a");
    assert.deepEqual([state?.pods.size, state?.requested.cpu, state?.assumed.cpu], [0, 0, 0]);
  });

  it("is cleared by a refusal, except of a pod that may not preempt", () => {
    const cache = cacheOf(nodeOf("a", { allocatable: { cpu: "1" } }));
    const after = (pod: ReturnType<typeof podOf>) => {
      const placement = new Scheduler(cache, () => 0).schedule(pod);
      return placement.kind === "refused" ? placement.nominatedNodeName : "placed";
    };
    const meek = podOf("p", { requests: { cpu: "3" }, preemptionPolicy: "Never", status: { nominatedNodeName: "a" } });
    assert.deepEqual([after(nominated("p", 0)), after(meek)], ["", undefined]);
  });
});
