import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { modelCandidate } from "../../../test/support/model-candidate.ts";
import { modelClaim, modelCondition, modelNode } from "../../../test/support/model-machine.ts";
import { modelPod } from "../../../test/support/model-pod.ts";
import { modelPool } from "../../../test/support/model-pool.ts";
import { ClusterState } from "../cluster/cluster-state.ts";
import type { InstanceType } from "../model/instance-type.ts";
import type { NodeClaim } from "../model/node-claim.ts";
import type { NodeObject } from "../model/node-object.ts";
import type { ConsolidationPolicy } from "../model/pool-disruption.ts";
import { findDestinations, judgeConsolidation } from "./consolidation.ts";

const consolidatable = modelCondition("Consolidatable", "True");
const small = { name: "small" } as InstanceType;

function judge(fields: Parameters<typeof modelCandidate>[1] = {}) {
  const candidate = modelCandidate("n", {
    conditions: [consolidatable],
    pods: [modelPod("web")],
    disturbance: 2,
    ...fields,
  });
  return judgeConsolidation(candidate, [small]);
}

describe("judgeConsolidation", () => {
  it("lets a quiet node with pods be consolidated", () => {
    for (const consolidationPolicy of ["WhenEmptyOrUnderutilized", "Balanced"] satisfies ConsolidationPolicy[]) {
      assert.equal(judge({ pool: modelPool("general", { disruption: { consolidationPolicy } }) }), undefined);
    }
    assert.equal(judge({ pods: [modelPod("filler")], disturbance: 1 }), undefined);
  });

  it("tells what its owner can change", () => {
    const told = (because: string) => ({ because, isTold: true, isPassing: false });
    assert.deepEqual(judge({ instanceType: "gone" }), told('Instance Type "gone" not found'));
    assert.deepEqual(judge({ capacityType: "" }), told('Node does not have label "karpenter.sh/capacity-type"'));
    assert.deepEqual(judge({ zone: "" }), told('Node does not have label "topology.kubernetes.io/zone"'));
    assert.deepEqual(
      judge({ pool: modelPool("general", { disruption: { consolidateAfter: undefined } }) }),
      told('NodePool "general" has consolidation disabled'),
    );
    assert.deepEqual(
      judge({ pool: modelPool("general", { disruption: { consolidationPolicy: "WhenEmpty" } }) }),
      told('NodePool "general" has consolidation policy WhenEmpty, but node is not empty'),
    );
  });

  it("keeps to itself what is as it should be", () => {
    const quiet = (because: string, isPassing = false) => ({ because, isTold: false, isPassing });
    assert.deepEqual(judge({ pool: modelPool("fixed", { replicas: 1 }) }), quiet('NodePool "fixed" is static'));
    assert.deepEqual(judge({ pods: [], disturbance: 1 }), quiet("Node is empty"));
    assert.deepEqual(judge({ conditions: [] }), quiet("Pods came or went within consolidateAfter", true));
  });
});

describe("findDestinations", () => {
  const now = 1_000_000;
  const initialized = ["karpenter.sh/initialized", "true"] as const;

  function destinations(build: (machine: Machine) => void, isBusy = (_: string) => false): readonly string[] {
    const cluster = new ClusterState();
    cluster.pools.put("general", modelPool("general", { disruption: { consolidateAfter: 30_000 } }));
    cluster.pools.put("never", modelPool("never", { disruption: { consolidateAfter: undefined } }));
    cluster.pools.put("static", modelPool("static", { replicas: 1, disruption: { consolidateAfter: 30_000 } }));
    build((name, { pool = "general", claim = {}, node = {} } = {}) => {
      const providerId = `test://${name}`;
      const labels = new Map([["karpenter.sh/nodepool", pool]]);
      const conditions = [modelCondition("Initialized", "True")];
      if (pool !== "") cluster.claims.put(name, modelClaim({ name, providerId, labels, conditions, ...claim }));
      const nodeLabels = new Map([initialized]);
      cluster.nodes.put(name, modelNode({ name, providerId, labels: nodeLabels, ...node }));
    });
    return [...findDestinations({ cluster, now, isBusy })];
  }

  type Machine = (
    name: string,
    fields?: { pool?: string; claim?: Partial<NodeClaim>; node?: Partial<NodeObject> },
  ) => void;

  it("takes initialized nodes on which pods have not come or gone lately", () => {
    const found = destinations((machine) => {
      machine("quiet", { claim: { lastPodEventTime: now - 30_000 } });
      machine("lively", { claim: { lastPodEventTime: now - 29_999 } });
      machine("untouched");
      const conditions = [modelCondition("Initialized", "True", { lastTransitionTime: now - 1 })];
      machine("new", { claim: { conditions } });
      machine("uninitialized", { node: { labels: new Map() } });
    });
    assert.deepEqual(found, ["quiet", "untouched"]);
  });

  it("takes lively nodes that nobody consolidates", () => {
    const claim = { lastPodEventTime: now };
    const found = destinations((machine) => {
      machine("never", { pool: "never", claim });
      machine("static", { pool: "static", claim });
      machine("orphan", { pool: "unknown", claim });
      machine("unmanaged", { pool: "", node: { labels: new Map() } });
    });
    assert.deepEqual(found, ["never", "static", "orphan", "unmanaged"]);
  });

  it("takes none that goes", () => {
    const found = destinations(
      (machine) => {
        machine("deleting", { claim: { deletedAt: 1 } });
        machine("node-deleting", { node: { deletedAt: 1 } });
        machine("unmanaged", { pool: "", node: { deletedAt: 1 } });
        machine("ended", { claim: { conditions: [modelCondition("InstanceTerminating", "True")] } });
        machine("chosen", { claim: { conditions: [modelCondition("DisruptionReason", "True")] } });
        machine("busy");
      },
      (name) => name === "busy",
    );
    assert.deepEqual(found, []);
  });
});
