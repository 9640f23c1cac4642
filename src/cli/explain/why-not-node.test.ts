import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { node, pod } from "../../../test/support/builders.ts";
import { readSnapshot } from "../../core/api/read-objects.ts";
import { createPodReader } from "../../core/api/read-pod.ts";
import type { Pod } from "../../core/model/pod.ts";
import { describeObstacles, whyNotNode } from "./why-not-node.ts";

function read(wire: object): Pod {
  const result = createPodReader()(wire);
  if (result.problems !== undefined) throw new Error(JSON.stringify(result.problems));
  return result.value;
}

function obstacleOf(asking: object, fields: Parameters<typeof node>[1], ...there: readonly object[]) {
  const { snapshot } = readSnapshot([node("one", fields)], []);
  const [found] = snapshot.nodes;
  if (found === undefined) throw new Error("no node");
  return whyNotNode(read(asking), found, there.map(read)).because;
}

describe("why a node does not take a pod", () => {
  it("is a taint, a label, a lack, or what other pods rule out", () => {
    const tainted = { taints: [{ key: "team", value: "x", effect: "NoSchedule" }] };
    const selecting = pod("web", { nodeSelector: { disk: "fast" } });
    assert.deepEqual(
      [
        obstacleOf(pod("web"), tainted),
        obstacleOf(selecting, {}),
        obstacleOf(selecting, { labels: { disk: "slow" } }),
        obstacleOf(pod("web", { requests: { cpu: 2 } }), {}, pod("other", { requests: { cpu: "2500m" } })),
        obstacleOf(pod("web"), {}),
      ],
      [
        "has the taint team=x:NoSchedule, which the pod does not tolerate",
        "has no label disk, and the pod wants disk In [fast]",
        "has disk=slow, and the pod wants disk In [fast]",
        "lacks 500m cpu",
        "is ruled out by pod affinity, anti-affinity, spread, host ports or volumes",
      ],
    );
  });

  it("is told once for many, with the nearest miss", () => {
    const lack = (because: string, distance: number) => ({ key: "resources", because, distance });
    const going = { key: "going", because: "is going away", distance: 0 };
    const found = new Map([
      ["a", lack("lacks 2 cpu", 2)],
      ["b", lack("lacks 1 cpu", 1)],
      ["c", going],
    ]);
    assert.deepEqual(describeObstacles(found), [
      "2 nodes are too full; the nearest is b, which lacks 1 cpu",
      "c is going away",
    ]);
  });
});
