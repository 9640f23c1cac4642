import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { oldLabelsOf, successorOf } from "./old-labels.ts";

describe("old labels", () => {
  const machine = new Map([
    ["karpenter.sh/capacity-type", "spot"],
    ["karpenter.k8s.aws/instance-size", "large"],
    ["karpenter.k8s.aws/instance-gpu-name", "t4"],
    ["karpenter.k8s.aws/instance-category", "g"],
  ]);

  it("stand beside those of today on what comes of a Provisioner", () => {
    const labels = new Map([...machine, ["karpenter.sh/provisioner-name", "web"]]);
    assert.deepEqual(Object.fromEntries(oldLabelsOf(labels)), {
      "provisioning.karpenter.sh/name": "web",
      "node.k8s.aws/capacity-type": "spot",
      "karpenter.k8s.aws/instance.size": "large",
      "karpenter.k8s.aws/instance.gpu.name": "t4",
    });
  });

  it("are on no other node", () => {
    assert.equal(oldLabelsOf(machine).size, 0);
  });

  it("have a name of today", () => {
    const keys = ["karpenter.k8s.aws/instance.gpu.memory", "node.k8s.aws/capacity-type", "kubernetes.io/arch"];
    assert.deepEqual(keys.map(successorOf), [
      "karpenter.k8s.aws/instance-gpu-memory",
      "karpenter.sh/capacity-type",
      undefined,
    ]);
  });
});
