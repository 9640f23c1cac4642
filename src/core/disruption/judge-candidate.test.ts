import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { modelClaim, modelCondition, modelNode } from "../../../test/support/model-machine.ts";
import { daemonSetOwner, type ModelPodFields, modelBudget, modelPod } from "../../../test/support/model-pod.ts";
import { modelPool } from "../../../test/support/model-pool.ts";
import { ClusterState } from "../cluster/cluster-state.ts";
import type { DisruptionBudget } from "../model/disruption-budget.ts";
import type { InstanceType } from "../model/instance-type.ts";
import type { NodeClaim } from "../model/node-claim.ts";
import type { NodeObject } from "../model/node-object.ts";
import type { NodePoolObject } from "../model/node-pool-object.ts";
import type { Owner, Pod } from "../model/pod.ts";
import { requirementsFromLabels } from "../model/requirements.ts";
import type { Blocker, Candidate } from "./candidate.ts";
import { describeBlocker } from "./describe-blocker.ts";
import { type DisruptionMode, judgeCandidate } from "./judge-candidate.ts";

const initialized = ["karpenter.sh/initialized", "true"] as const;
const inPool = ["karpenter.sh/nodepool", "general"] as const;
const bought = [
  ["node.kubernetes.io/instance-type", "small"],
  ["topology.kubernetes.io/zone", "zone-a"],
  ["karpenter.sh/capacity-type", "spot"],
] as const;

function offering(zone: string, capacityType: string, price: number): InstanceType["offerings"][number] {
  const requirements = requirementsFromLabels(
    new Map([
      ["topology.kubernetes.io/zone", zone],
      ["karpenter.sh/capacity-type", capacityType],
    ]),
  );
  const isAvailable = false;
  return {
    requirements,
    price,
    isAvailable,
    reservationCapacity: undefined,
    reservationId: undefined,
    allocatable: undefined,
  };
}

const small: InstanceType = {
  name: "small",
  requirements: new Map(),
  capacity: new Map(),
  allocatable: new Map(),
  offerings: [offering("zone-b", "spot", 7), offering("zone-a", "on-demand", 5), offering("zone-a", "spot", 2)],
};

interface Scene {
  readonly claim?: Partial<NodeClaim>;
  readonly node?: Partial<NodeObject>;
  readonly pool?: NodePoolObject | undefined;
  readonly pods?: readonly Pod[];
  readonly budgets?: readonly DisruptionBudget[];
  readonly types?: readonly InstanceType[];
  readonly isBusy?: boolean;
  readonly mode?: DisruptionMode;
  readonly prepare?: (cluster: ClusterState) => void;
}

function judge(scene: Scene = {}): Candidate | Blocker {
  const { pods = [], budgets = [], types = [small], isBusy = false, mode = "graceful" } = scene;
  const cluster = new ClusterState();
  const providerId = "test://node";
  const claim = modelClaim({ providerId, labels: new Map([inPool]), ...scene.claim });
  cluster.claims.put(claim.name, claim);
  const labels = new Map([initialized, inPool, ...bought]);
  cluster.nodes.put("node", modelNode({ providerId, labels, ...scene.node }));
  const pool = "pool" in scene ? scene.pool : modelPool("general");
  if (pool !== undefined) cluster.pools.put(pool.name, pool);
  for (const pod of pods) cluster.pods.put(`${pod.namespace}/${pod.name}`, pod);
  scene.prepare?.(cluster);
  return judgeCandidate(
    claim,
    { cluster, instanceTypesOf: () => types, budgets, now: 1_000_000, isBusy: () => isBusy },
    mode,
  );
}

function candidate(scene: Scene = {}): Candidate {
  const judged = judge(scene);
  assert.ok(!("kind" in judged), JSON.stringify(judged));
  return judged;
}

/** What the event says. */
function blocked(scene: Scene): string {
  const judged = judge(scene);
  assert.ok("kind" in judged, "a candidate");
  return describeBlocker(judged);
}

const statefulSet = { apiVersion: "apps/v1", kind: "StatefulSet", name: "db", uid: "", isController: true };

describe("judgeCandidate", () => {
  it("knows what the node costs in its zone and capacity type, also when nobody can buy it now", () => {
    const { instanceType, zone, capacityType, price, pods, disturbance } = candidate();
    assert.deepEqual(
      { instanceType, zone, capacityType, price, pods, disturbance },
      { instanceType: "small", zone: "zone-a", capacityType: "spot", price: 2, pods: [], disturbance: 1 },
    );
    assert.equal(candidate({ types: [{ ...small, name: "other" }] }).price, 0);
    assert.equal(candidate({ types: [{ ...small, offerings: [offering("zone-a", "spot", Number.NaN)] }] }).price, 0);
  });

  it("counts one for the node and the eviction cost of every pod that wants another place", () => {
    const pods = [
      modelPod("plain"),
      modelPod("important", { spec: { priority: 2 ** 25 } }),
      modelPod("worthless", { spec: { priority: -(2 ** 30) } }),
      modelPod("agent", { owners: [daemonSetOwner] }),
      modelPod("leaving", { deletesAt: 1 }),
      modelPod("done", { phase: "Succeeded" }),
      modelPod("db-0", { deletesAt: 1, owners: [statefulSet] }),
    ];
    const found = candidate({ pods });
    assert.deepEqual(
      found.pods.map(({ name }) => name),
      ["plain", "important", "worthless", "db-0"],
    );
    assert.equal(found.disturbance, 1 + 1 + 2 + 0 + 1);
  });

  it("is blocked by the state of the node and its claim", () => {
    assert.equal(blocked({ isBusy: true }), "Node is deleting or marked for deletion");
    assert.equal(blocked({ claim: { providerId: "test://elsewhere" } }), "NodeClaim does not have an associated node");
    assert.equal(blocked({ node: { labels: new Map([inPool]) } }), "Node isn't initialized");
    assert.equal(blocked({ claim: { deletedAt: 1 } }), "Node is deleting or marked for deletion");
    assert.equal(blocked({ node: { deletedAt: 1 } }), "Node is deleting or marked for deletion");
    const conditions = [modelCondition("InstanceTerminating", "True")];
    assert.equal(blocked({ claim: { conditions } }), "Node is deleting or marked for deletion");
    for (const annotation of ["karpenter.sh/do-not-disrupt", "karpenter.sh/do-not-consolidate"]) {
      assert.equal(
        blocked({ node: { annotations: new Map([[annotation, "true"]]) } }),
        `Disruption is blocked through the "${annotation}" annotation`,
      );
    }
  });

  it("heeds no other value of the annotation on a node", () => {
    candidate({ node: { annotations: new Map([["karpenter.sh/do-not-disrupt", "1h"]]) } });
  });

  it("is blocked while pods are meant for the node", () => {
    const message = "Node is nominated for a pending pod";
    assert.equal(blocked({ prepare: ({ intendedPods }) => intendedPods.intend("uid-web", "claim", 0) }), message);
    const waiting: ModelPodFields = { nodeName: "", nominatedNodeName: "node", phase: "Pending" };
    assert.equal(blocked({ pods: [modelPod("web", waiting)] }), message);
    candidate({ pods: [modelPod("web", { ...waiting, deletesAt: 1 })] });
    candidate({ pods: [modelPod("web", { ...waiting, nodeName: "other" })] });
    candidate({ pods: [modelPod("web", { ...waiting, nominatedNodeName: "other" })] });
  });

  it("is blocked while what it replaces is not gone", () => {
    const annotations = new Map([["karpenter.sh/replaces", "old-1, old-2,old-3"]]);
    const prepare = ({ claims }: ClusterState): void => {
      for (const name of ["old-1", "old-3"]) claims.put(name, modelClaim({ name, deletedAt: 1 }));
    };
    assert.equal(
      blocked({ claim: { annotations }, prepare }),
      "Node replaces others that are not gone yet (NodeClaims=old-1, old-3)",
    );
    candidate({ claim: { annotations } });
  });

  it("is blocked by what is known of its pool", () => {
    assert.equal(
      blocked({ node: { labels: new Map([initialized]) } }),
      "Node doesn't have required label (label=karpenter.sh/nodepool)",
    );
    assert.equal(blocked({ pool: undefined }), "NodePool not found (NodePool=general)");
    assert.equal(blocked({ types: [] }), "NodePool has no instance types (NodePool=general)");
    for (const mode of ["graceful", "eventual"] as const) {
      assert.equal(
        blocked({ mode, pool: modelPool("general", { disruption: { isPaused: true } }) }),
        'NodePool has "karpenter.sh/paused" annotation (NodePool=general)',
      );
    }
  });

  it("is blocked by a pod that wants to stay, of a DaemonSet too, while it runs and its time is not over", () => {
    const message = 'Pod has "karpenter.sh/do-not-disrupt" annotation (Pod=default/web)';
    const held = (fields: ModelPodFields): Scene => ({ pods: [modelPod("other"), modelPod("web", fields)] });
    assert.equal(blocked(held({ doNotDisrupt: "true" })), message);
    assert.equal(blocked(held({ doNotDisrupt: "true", owners: [daemonSetOwner] })), message);
    assert.equal(blocked(held({ doNotDisrupt: "1h" })), message);
    candidate(held({ doNotDisrupt: "10m" }));
    candidate(held({ doNotDisrupt: "nonsense" }));
    candidate(held({ doNotDisrupt: "true", phase: "Succeeded" }));
    candidate(held({ doNotDisrupt: "true", deletesAt: 1 }));
  });

  it("is blocked by a budget that does not let a pod go, and names both", () => {
    const pods = [modelPod("web-1", { app: "web" })];
    assert.equal(
      blocked({ pods, budgets: [modelBudget("web")] }),
      "Pdb prevents pod evictions (Pod=default/web-1, PodDisruptionBudget=default/web)",
    );
    assert.equal(
      blocked({ pods, budgets: [modelBudget("web", { neverAllows: true })] }),
      "Pdb prevents pod evictions, and never allows any (Pod=default/web-1, PodDisruptionBudget=default/web)",
    );
    assert.equal(
      blocked({ pods, budgets: [modelBudget("web", { disruptionsAllowed: 1 }), modelBudget("web", { name: "more" })] }),
      "Eviction does not support multiple PDBs (Pod=default/web-1, PodDisruptionBudget(s)=default/web, default/more)",
    );
  });

  it("is not blocked by budgets that let the pod go or that nobody will ask", () => {
    const budgets = [modelBudget("web")];
    candidate({ pods: [modelPod("web-1", { app: "web" })], budgets: [modelBudget("web", { disruptionsAllowed: 1 })] });
    candidate({ pods: [modelPod("web-1", { app: "web", namespace: "other" })], budgets });
    candidate({ pods: [modelPod("web-1", { app: "web", deletesAt: 1 })], budgets });
    const unready = [modelPod("web-1", { app: "web", readyAt: undefined })];
    candidate({ pods: unready, budgets: [modelBudget("web", { alwaysAllowsUnhealthy: true })] });
    const tolerations = [{ key: "karpenter.sh/disrupted", operator: "Exists", value: "", effect: "" }] as const;
    candidate({ pods: [modelPod("web-1", { app: "web", spec: { tolerations } })], budgets });
  });

  it("is not blocked by budgets of a pod that its owner replaces, which needs another place", () => {
    const budgets = [modelBudget("web", { neverAllows: true })];
    const replicaSet = { ...statefulSet, kind: "ReplicaSet" };
    const surging = (owner: Owner, hash: string | undefined, doNotDisrupt?: string): Pod => ({
      ...modelPod("web-1", { app: "web", owners: [owner] }),
      labels: new Map([["app", "web"], ...(hash === undefined ? [] : [["pod-template-hash", hash] as const])]),
      annotations: new Map([
        ["karpenter.sh/drain-strategy", "surge"],
        ...(doNotDisrupt === undefined ? [] : [["karpenter.sh/do-not-disrupt", doNotDisrupt] as const]),
      ]),
    });
    assert.equal(candidate({ pods: [surging(replicaSet, "abc")], budgets }).pods.length, 1);
    assert.equal(candidate({ pods: [surging(statefulSet, undefined)], budgets }).pods.length, 1);
    assert.match(blocked({ pods: [surging(replicaSet, undefined)], budgets }), /Pdb prevents/);
    assert.match(blocked({ pods: [surging({ ...statefulSet, kind: "Job" }, undefined)], budgets }), /Pdb prevents/);
    assert.match(blocked({ pods: [surging(replicaSet, "abc", "true")], budgets }), /do-not-disrupt/);
  });

  it("does not wait for pods for ever where the claim says so, and finds no place for those that stay", () => {
    const pods = [
      modelPod("held", { doNotDisrupt: "true" }),
      modelPod("never", { app: "never" }),
      modelPod("later", { app: "later" }),
      modelPod("free"),
    ];
    const budgets = [modelBudget("never", { neverAllows: true }), modelBudget("later")];
    const claim = { terminationGracePeriod: 60_000 };
    const found = candidate({ pods, budgets, claim, mode: "eventual" });
    assert.deepEqual(
      found.pods.map(({ name }) => name),
      ["later", "free"],
    );
    assert.equal(found.disturbance, 5);
    assert.match(blocked({ pods, budgets, mode: "eventual" }), /do-not-disrupt/);
    assert.match(blocked({ pods, budgets, claim, mode: "graceful" }), /do-not-disrupt/);
    const annotations = new Map([["karpenter.sh/do-not-disrupt", "true"]]);
    assert.match(blocked({ node: { annotations }, claim, mode: "eventual" }), /Disruption is blocked/);
  });
});
