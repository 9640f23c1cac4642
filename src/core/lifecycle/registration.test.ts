import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { modelClaim, modelNode, modelTaint } from "../../../test/support/model-machine.ts";
import { closingTaintIndices, openedNode, registrationStep, taintsToSync, unregisteredTaint } from "./registration.ts";

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

  it("knows where the taints stand that go when a node is opened", () => {
    const softened = modelTaint("karpenter.sh/unregistered", "NoSchedule");
    for (const ours of [unregisteredTaint, softened]) {
      assert.deepEqual(closingTaintIndices(modelNode({ taints: [modelTaint("a", "NoSchedule"), ours] })), [1]);
    }
    assert.deepEqual(closingTaintIndices(modelNode()), []);
  });

  it("takes off a node what is said of nodes that are not ready, once it is", () => {
    const notReady = modelTaint("node.kubernetes.io/not-ready", "NoExecute");
    const taints = [notReady, modelTaint("a", "NoSchedule"), unregisteredTaint];
    const ready = { type: "Ready", status: "True", lastTransitionTime: 0 };
    const indices = (conditions: (typeof ready)[]) => closingTaintIndices(modelNode({ taints, conditions }));
    assert.deepEqual(indices([ready]), [0, 2]);
    assert.deepEqual(indices([{ ...ready, status: "False" }]), [2]);
    assert.deepEqual(
      openedNode(modelNode({ taints, conditions: [ready] })).taints.map(({ key }) => key),
      ["a"],
    );
  });
});
