import assert from "node:assert/strict";
import { it } from "node:test";
import { bootstrapLabels, bootstrapTaints } from "./bootstrap-labels.ts";

it("leaves out labels that the API server takes from no kubelet, and says that the taints are there", () => {
  const labels = new Map([
    ["team", "a"],
    ["example.com/x", "b"],
    ["kubernetes.io/arch", "amd64"],
    ["node-restriction.kubernetes.io/x", "c"],
    ["a.k8s.io/x", "d"],
    ["notk8s.io/x", "e"],
    ["k8s.io", "f"],
  ]);
  assert.deepEqual(
    bootstrapLabels({ labels }, "spot", "AL2023"),
    new Map([
      ["team", "a"],
      ["example.com/x", "b"],
      ["notk8s.io/x", "e"],
      ["k8s.io", "f"],
      ["karpenter.sh/capacity-type", "spot"],
      ["karpenter.sh/do-not-sync-taints", "true"],
    ]),
  );
});

it("does not say so for user data that are all the user's", () => {
  assert.deepEqual(
    bootstrapLabels({ labels: new Map() }, "on-demand", "Custom"),
    new Map([["karpenter.sh/capacity-type", "on-demand"]]),
  );
});

it("adds the taint that keeps pods away until the node is known, once", () => {
  const own = { key: "a", value: "b", effect: "NoSchedule" } as const;
  const startup = { key: "c", value: "", effect: "NoExecute" } as const;
  const unregistered = { key: "karpenter.sh/unregistered", value: "", effect: "NoExecute" } as const;
  assert.deepEqual(bootstrapTaints({ taints: [own], startupTaints: [startup] }), [own, startup, unregistered]);
  assert.deepEqual(bootstrapTaints({ taints: [], startupTaints: [unregistered] }), [unregistered]);
});
