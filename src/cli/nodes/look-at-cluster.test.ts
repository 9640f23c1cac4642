import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { modelPod } from "../../../test/support/model-pod.ts";
import { readNode } from "../../core/api/read-node.ts";
import { readNodeClaim } from "../../core/api/read-node-claim.ts";
import { ClusterState } from "../../core/cluster/cluster-state.ts";
import type { NodeClaim } from "../../core/model/node-claim.ts";
import type { NodeObject } from "../../core/model/node-object.ts";
import { lookAtWaiting } from "../start/look-at-waiting.ts";
import { addUp, lookAtNodes, stateOf } from "./look-at-cluster.ts";

const start = Date.parse("2026-01-01T00:00:00Z");
const labels = {
  "karpenter.sh/nodepool": "general",
  "node.kubernetes.io/instance-type": "c7a.xlarge",
  "topology.kubernetes.io/zone": "us-west-2a",
  "karpenter.sh/capacity-type": "spot",
  "eks-node-viewer/instance-price": "0.100000",
};

interface ClaimFields {
  readonly conditions?: readonly string[];
  readonly providerID?: string;
  readonly deletionTimestamp?: string;
}

function claim(name: string, { conditions = [], providerID = "", deletionTimestamp }: ClaimFields = {}): NodeClaim {
  const read = readNodeClaim({
    metadata: { name, uid: name, creationTimestamp: "2026-01-01T00:00:00Z", deletionTimestamp, labels },
    spec: { requirements: [], nodeClassRef: { group: "karpenter.kwok.sh", kind: "KWOKNodeClass", name: "default" } },
    status: {
      providerID,
      allocatable: { cpu: "4", memory: "8Gi" },
      conditions: conditions.map((type) => ({ type, status: "True", lastTransitionTime: "2026-01-01T00:00:00Z" })),
    },
  });
  if (read.problems !== undefined) throw new Error(JSON.stringify(read.problems));
  return read.value;
}

function node(
  name: string,
  fields: { ready?: string; taints?: object[]; labels?: object; providerID?: string } = {},
): NodeObject {
  const { ready = "True", taints = [], labels = {}, providerID = "" } = fields;
  const read = readNode({
    metadata: { name, uid: name, creationTimestamp: "2026-01-01T00:00:10Z", labels },
    spec: { providerID, taints },
    status: {
      allocatable: { cpu: "4", memory: "8Gi", pods: "50" },
      conditions: [{ type: "Ready", status: ready }],
    },
  });
  if (read.problems !== undefined) throw new Error(JSON.stringify(read.problems));
  return read.value;
}

const isUp = ["Launched", "Registered", "Initialized"];

describe("the state of a node", () => {
  it("is how far it has come, or how far it has gone", () => {
    const deletionTimestamp = "2026-01-01T01:00:00Z";
    const cordon = { key: "node.kubernetes.io/unschedulable", effect: "NoSchedule" };
    assert.deepEqual(
      [
        stateOf(claim("a"), undefined),
        stateOf(claim("a", { conditions: ["Launched"] }), undefined),
        stateOf(claim("a", { conditions: ["Launched"] }), node("a", { ready: "False" })),
        stateOf(claim("a", { conditions: ["Launched", "Registered"] }), node("a")),
        stateOf(claim("a", { conditions: isUp }), node("a")),
        stateOf(claim("a", { conditions: isUp }), node("a", { ready: "Unknown" })),
        stateOf(claim("a", { conditions: isUp }), node("a", { taints: [cordon] })),
        stateOf(claim("a", { conditions: isUp, deletionTimestamp }), node("a")),
        stateOf(claim("a", { conditions: [...isUp, "Drained"], deletionTimestamp }), node("a")),
        stateOf(undefined, node("a")),
      ],
      [
        "launching",
        "booting",
        "registering",
        "starting",
        "ready",
        "not ready",
        "cordoned",
        "draining",
        "ending",
        "ready",
      ],
    );
  });
});

describe("a look at the nodes", () => {
  const cluster = new ClusterState();
  cluster.nodes.put("control-plane", node("control-plane"));
  cluster.claims.put("general-b", claim("general-b"));
  cluster.claims.put("general-a", claim("general-a", { conditions: isUp, providerID: "kwok://a" }));
  cluster.nodes.put("kwok-a", node("kwok-a", { providerID: "kwok://a", labels }));
  const requests = new Map([
    ["cpu", 1_000],
    ["memory", 2 ** 30],
  ]);
  cluster.pods.put("default/one", modelPod("one", { nodeName: "kwok-a", spec: { requests } }));
  cluster.pods.put("default/two", modelPod("two", { nodeName: "kwok-a", spec: { requests } }));
  cluster.pods.put("default/done", modelPod("done", { nodeName: "kwok-a", phase: "Succeeded", spec: { requests } }));
  cluster.pods.put("default/new", modelPod("new", { nodeName: "kwok-a", phase: "Pending" }));
  const waiting = modelPod("web-6d5cfccc88-nsmz7", {
    nodeName: "",
    phase: "Pending",
    scheduledReason: "Unschedulable",
  });
  cluster.pods.put("default/web-6d5cfccc88-nsmz7", waiting);
  const nodes = lookAtNodes(cluster, start + 60_000);

  it("has a row for each, and for each claim without one, with what its pods ask for", () => {
    assert.deepEqual(
      nodes.map(({ name, pool, state, pods, price, ageMilliseconds, requested }) => [
        name,
        pool,
        state,
        pods,
        price,
        ageMilliseconds,
        requested.get("cpu") ?? 0,
      ]),
      [
        ["control-plane", "", "ready", 0, undefined, 50_000, 0],
        ["general-a", "general", "ready", 3, 0.1, 60_000, 2_000],
        ["general-b", "general", "launching", 0, 0.1, 60_000, 0],
      ],
    );
  });

  it("adds up what is paid for", () => {
    const { allocatable, requested, ...totals } = addUp(cluster, nodes);
    assert.deepEqual(totals, { nodes: 2, ready: 1, price: 0.2, running: 2, starting: 1, pending: 1 });
    assert.deepEqual([allocatable.get("cpu"), requested.get("cpu")], [4_000, 2_000]);
  });

  it("puts pods of a workload together that wait for the same, most pods first", () => {
    const several = new ClusterState();
    for (const name of ["general-a", "general-b"]) several.claims.put(name, claim(name));
    const wait = (name: string): string => {
      const pod = modelPod(name, { nodeName: "", phase: "Pending", scheduledReason: "Unschedulable" });
      several.pods.put(`default/${name}`, pod);
      return pod.uid;
    };
    several.intendedPods.intend(wait("web-6d5cfccc88-nsmz7"), "general-a", start);
    several.intendedPods.intend(wait("web-6d5cfccc88-7z6bn"), "general-b", start);
    wait("training-6d5cfccc88-gjj6w");
    const refusals = new Map([["default/training-6d5cfccc88-gjj6w", "nothing is large enough"]]);
    assert.deepEqual(lookAtWaiting(several, refusals), [
      { workload: "default/web", pods: 2, reason: "meant for 2 nodes, which are launching", isStuck: false },
      { workload: "default/training", pods: 1, reason: "nothing is large enough", isStuck: true },
    ]);
  });

  it("says what pods wait for", () => {
    const reasonOf = (refusals: ReadonlyMap<string, string>): unknown =>
      lookAtWaiting(cluster, refusals).map(({ workload, pods, reason, isStuck }) => [workload, pods, reason, isStuck]);
    const refusals = new Map([["default/web-6d5cfccc88-nsmz7", "nothing is large enough"]]);
    const before = [reasonOf(new Map()), reasonOf(refusals)];
    cluster.intendedPods.intend(waiting.uid, "general-b", start);
    assert.deepEqual(
      [...before, reasonOf(refusals)],
      [
        [["default/web", 1, "fits on no node; the next plan decides", false]],
        [["default/web", 1, "nothing is large enough", true]],
        [["default/web", 1, "meant for general-b, which is launching", false]],
      ],
    );
  });
});
