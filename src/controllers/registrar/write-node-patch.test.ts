import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { modelNode, modelTaint } from "../../../test/support/model-machine.ts";
import { unregisteredTaint } from "../../core/lifecycle/registration.ts";
import { writeOpenPatch } from "./write-node-patch.ts";

const labels = new Map([["karpenter.sh/registered", "true"]]);
const notReady = modelTaint("node.kubernetes.io/not-ready", "NoExecute");

describe("the patch that opens a node", () => {
  it("removes our taint from where it stands, whatever else has changed", () => {
    const node = modelNode({ labels, taints: [modelTaint("a", "NoSchedule"), unregisteredTaint] });
    assert.deepEqual(writeOpenPatch(node, false), [
      { op: "test", path: "/spec/taints/1/key", value: "karpenter.sh/unregistered" },
      { op: "remove", path: "/spec/taints/1" },
    ]);
  });

  it("removes what no longer holds of a node that is ready, only if that is still so", () => {
    const node = modelNode({
      labels,
      taints: [unregisteredTaint, modelTaint("a", "NoSchedule"), notReady],
      conditions: [{ type: "Ready", status: "True", lastTransitionTime: 0 }],
      resourceVersion: "7",
    });
    assert.deepEqual(writeOpenPatch(node, false), [
      { op: "test", path: "/metadata/resourceVersion", value: "7" },
      { op: "test", path: "/spec/taints/2/key", value: "node.kubernetes.io/not-ready" },
      { op: "remove", path: "/spec/taints/2" },
      { op: "test", path: "/spec/taints/0/key", value: "karpenter.sh/unregistered" },
      { op: "remove", path: "/spec/taints/0" },
    ]);
  });

  it("is none for a node that is open", () => {
    assert.equal(writeOpenPatch(modelNode({ labels }), false), undefined);
  });
});
