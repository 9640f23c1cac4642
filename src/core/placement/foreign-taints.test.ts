import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { modelClaim, modelNode, modelTaint } from "../../../test/support/model-machine.ts";
import { modelPod } from "../../../test/support/model-pod.ts";
import type { NodeClaim } from "../model/node-claim.ts";
import type { Taint } from "../model/taints.ts";
import { foreignTaints, mayLoseTaint } from "./foreign-taints.ts";

const taint = modelTaint("example.com/a", "NoSchedule", "b");
const minute = 60_000;

function foreign(taints: readonly Taint[], claim: NodeClaim = modelClaim()): readonly Taint[] {
  return foreignTaints({ claim, node: modelNode({ taints }) });
}

describe("the foreign taints of a node", () => {
  it("are those that its NodePool does not have", () => {
    assert.deepEqual(foreign([taint]), [taint]);
    assert.deepEqual(foreign([taint], modelClaim({ taints: [taint] })), []);
    assert.deepEqual(foreign([taint], modelClaim({ startupTaints: [{ ...taint, value: "other" }] })), []);
    assert.deepEqual(foreign([taint], modelClaim({ taints: [{ ...taint, effect: "NoExecute" }] })), [taint]);
  });

  it("are not those of Kubernetes and Karpenter, and no preferences", () => {
    const keys = ["node.kubernetes.io/unschedulable", "karpenter.sh/disrupted", "readiness.k8s.io/network"];
    assert.deepEqual(foreign(keys.map((key) => modelTaint(key, "NoSchedule"))), []);
    assert.deepEqual(foreign([modelTaint("example.com/a", "PreferNoSchedule")]), []);
  });
});

describe("a pod stays meant for a node with a foreign taint", () => {
  const pod = modelPod("pod");
  const node = modelNode({ taints: [taint], createdAt: 0 });

  it("for five minutes, unless the node goes", () => {
    assert.equal(mayLoseTaint(pod, { claim: modelClaim(), node }, 5 * minute - 1), true);
    assert.equal(mayLoseTaint(pod, { claim: modelClaim(), node }, 5 * minute), false);
    assert.equal(mayLoseTaint(pod, { claim: modelClaim(), node: { ...node, deletedAt: 1 } }, minute), false);
    assert.equal(mayLoseTaint(pod, { claim: modelClaim({ deletedAt: 1 }), node }, minute), false);
  });

  it("not if it tolerates the taint: then something else is in its way", () => {
    const tolerations = [{ key: "example.com/a", operator: "Exists", value: "", effect: "" } as const];
    const tolerating = modelPod("pod", { spec: { tolerations } });
    assert.equal(mayLoseTaint(tolerating, { claim: modelClaim(), node }, minute), false);
  });
});
