import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { modelClaim, modelNode, modelTaint } from "../../../test/support/model-machine.ts";
import { registeredTaints, registrationStep, unregisteredTaint } from "./registration.ts";

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

  it("gives a node the taints of its claim, and leaves those of the same key and effect as they are", () => {
    const mine = { ...modelTaint("a", "NoSchedule", "mine"), timeAdded: "2026-01-01T00:00:00Z" };
    const claim = modelClaim({
      taints: [modelTaint("a", "NoSchedule", "theirs"), modelTaint("a", "NoExecute")],
      startupTaints: [modelTaint("b", "NoSchedule")],
    });
    assert.deepEqual(registeredTaints(claim, modelNode({ writtenTaints: [mine] })), [
      mine,
      { ...modelTaint("a", "NoExecute"), timeAdded: undefined },
      { ...modelTaint("b", "NoSchedule"), timeAdded: undefined },
    ]);
    const complete = modelNode({ taints: [...claim.taints, ...claim.startupTaints] });
    assert.deepEqual(registeredTaints(claim, complete), complete.writtenTaints);
  });

  it("gives no taints to a node whose label forbids it, but takes our taint off", () => {
    const labels = new Map([["karpenter.sh/do-not-sync-taints", "true"]]);
    const node = modelNode({ labels, taints: [modelTaint("b", "NoSchedule"), unregisteredTaint] });
    const claim = modelClaim({ taints: [modelTaint("a", "NoSchedule")] });
    assert.deepEqual(registeredTaints(claim, node), node.writtenTaints.slice(0, 1));
  });

  it("takes our taint off whatever its effect, and leaves those of others", () => {
    const other = { ...modelTaint("a", "NoSchedule"), timeAdded: undefined };
    for (const effect of ["NoExecute", "NoSchedule"] as const) {
      const node = modelNode({ taints: [other, modelTaint("karpenter.sh/unregistered", effect)] });
      assert.deepEqual(registeredTaints(modelClaim(), node), [other]);
    }
  });

  it("takes the not-ready taint off a node that is ready", () => {
    const taints = [modelTaint("node.kubernetes.io/not-ready", "NoExecute"), unregisteredTaint];
    const left = (status: string) => {
      const node = modelNode({ taints, conditions: [{ type: "Ready", status, lastTransitionTime: 0 }] });
      return registeredTaints(modelClaim(), node).map(({ key }) => key);
    };
    assert.deepEqual([left("True"), left("False")], [[], ["node.kubernetes.io/not-ready"]]);
  });
});
