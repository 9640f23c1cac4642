import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { modelPod } from "../../../test/support/model-pod.ts";
import type { Pod, TopologySpread } from "../../core/model/pod.ts";
import type { NodeToLaunch } from "../../ports/planner.ts";
import { interleaveSiblings } from "./interleave-siblings.ts";

const spread = { topologyKey: "topology.kubernetes.io/zone", isRequired: true } as TopologySpread;

/** Pods that are alike: they have the same objects. */
function siblings(names: readonly string[], topologySpread: readonly TopologySpread[] = [spread]): readonly Pod[] {
  const [first, ...others] = names.map((name) => modelPod(name, { spec: { topologySpread } }));
  return first === undefined
    ? []
    : [first, ...others.map((pod) => ({ ...pod, spec: first.spec, labels: first.labels }))];
}

function node(zone: string, pods: readonly Pod[]): NodeToLaunch {
  return { zone, podUids: pods.map(({ uid }) => uid) } as unknown as NodeToLaunch;
}

/** The zone of each pod, in the order of the queue. */
function zonesOf(nodes: readonly NodeToLaunch[], queue: readonly Pod[]): string {
  return queue.map(({ uid }) => nodes.find(({ podUids }) => podUids.includes(uid))?.zone ?? "-").join("");
}

describe("interleaveSiblings", () => {
  const queue = siblings(["p1", "p2", "p3", "p4", "p5", "p6"]);

  it("lets zones take turns", () => {
    const nodes = [node("a", queue.slice(0, 2)), node("b", queue.slice(2, 4)), node("c", queue.slice(4))];
    assert.equal(zonesOf(nodes, queue), "aabbcc");
    const after = interleaveSiblings(nodes, queue);
    assert.equal(zonesOf(after, queue), "abcabc");
    assert.deepEqual(
      after.map(({ podUids }) => podUids.length),
      [2, 2, 2],
    );
  });

  it("begins with the zone that gets most, because it lacks most", () => {
    const nodes = [node("a", queue.slice(0, 1)), node("b", queue.slice(1))];
    assert.equal(zonesOf(interleaveSiblings(nodes, queue), queue), "bbbbab");
  });

  it("lets the nodes of a zone take turns", () => {
    const nodes = [node("a", queue.slice(0, 3)), node("a", queue.slice(3))];
    const [first] = interleaveSiblings(nodes, queue);
    assert.deepEqual(first?.podUids, [queue[0]?.uid, queue[2]?.uid, queue[4]?.uid]);
  });

  it("leaves alone who need not spread, who spreads over hosts, and who is not bought for", () => {
    for (const constraints of [
      [],
      [{ ...spread, topologyKey: "kubernetes.io/hostname" }],
      [{ ...spread, isRequired: false }],
    ]) {
      const others = siblings(["p1", "p2", "p3", "p4"], constraints);
      const nodes = [node("a", others.slice(0, 2)), node("b", others.slice(2, 3))];
      assert.equal(zonesOf(interleaveSiblings(nodes, others), others), "aab-");
    }
  });

  it("exchanges only pods that are alike", () => {
    const strangers = siblings(["q1", "q2"]);
    const nodes = [
      node("a", [...queue.slice(0, 3), ...strangers.slice(0, 1)]),
      node("b", [...queue.slice(3), ...strangers.slice(1)]),
    ];
    const after = interleaveSiblings(nodes, [...queue, ...strangers]);
    assert.equal(zonesOf(after, queue), "ababab");
    assert.equal(zonesOf(after, strangers), "ab");
  });
});
