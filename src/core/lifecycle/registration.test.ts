import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { modelClaim, modelNode, modelTaint } from "../../../test/support/model-machine.ts";
import { openedNode, openedTaints, registrationStep, taintsToSync, unregisteredTaint } from "./registration.ts";

describe("registration", () => {
  it("waits for a node, and not for one that goes", () => {
    for (const nodes of [[], [modelNode({ deletedAt: 1 })]]) {
      const step = registrationStep(nodes);
      assert.equal(step.kind === "wait" && step.change.reason, "NodeNotFound");
    }
  });

  it("takes the only node, and none of several", () => {
    const node = modelNode({ taints: [unregisteredTaint] });
    assert.deepEqual(registrationStep([node]), { kind: "register", node, isTaintMissing: false });
    const step = registrationStep([node, node]);
    assert.equal(step.kind === "wait" && step.change.status, "False");
  });

  it("misses the taint only before the node is registered", () => {
    const open = modelNode();
    assert.deepEqual(registrationStep([open]), { kind: "register", node: open, isTaintMissing: true });
    const registered = modelNode({ labels: new Map([["karpenter.sh/registered", "true"]]) });
    assert.deepEqual(registrationStep([registered]), { kind: "register", node: registered, isTaintMissing: false });
  });

  it("adds the taints that are missing, and leaves those of the same key and effect as they are", () => {
    const mine = { ...modelTaint("a", "NoSchedule", "mine"), timeAdded: "2026-01-01T00:00:00Z" };
    const claim = modelClaim({
      taints: [modelTaint("a", "NoSchedule", "theirs"), modelTaint("a", "NoExecute")],
      startupTaints: [modelTaint("b", "NoSchedule")],
    });
    assert.deepEqual(taintsToSync(claim, modelNode({ writtenTaints: [mine] })), [
      mine,
      { ...modelTaint("a", "NoExecute"), timeAdded: undefined },
      { ...modelTaint("b", "NoSchedule"), timeAdded: undefined },
    ]);
    assert.equal(taintsToSync(claim, modelNode({ taints: [...claim.taints, ...claim.startupTaints] })), undefined);
  });

  it("leaves the taints of a node alone that says so", () => {
    const node = modelNode({ labels: new Map([["karpenter.sh/do-not-sync-taints", "true"]]) });
    assert.equal(taintsToSync(modelClaim({ taints: [modelTaint("a", "NoSchedule")] }), node), undefined);
  });

  it("takes our taint off a node that is opened, with whatever effect", () => {
    const other = { ...modelTaint("a", "NoSchedule"), timeAdded: undefined };
    for (const effect of ["NoExecute", "NoSchedule"] as const) {
      const node = modelNode({ taints: [other, modelTaint("karpenter.sh/unregistered", effect)] });
      assert.deepEqual(openedTaints(node), [other]);
    }
    assert.equal(openedTaints(modelNode({ taints: [other] })), undefined);
  });

  it("takes off a node what is said of nodes that are not ready, once it is", () => {
    const taints = [modelTaint("node.kubernetes.io/not-ready", "NoExecute"), unregisteredTaint];
    const left = (status: string) => {
      const node = modelNode({ taints, conditions: [{ type: "Ready", status, lastTransitionTime: 0 }] });
      assert.equal(openedNode(node).taints.length, openedTaints(node)?.length);
      return openedTaints(node)?.map(({ key }) => key);
    };
    assert.deepEqual([left("True"), left("False")], [[], ["node.kubernetes.io/not-ready"]]);
  });
});
