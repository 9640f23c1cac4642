import assert from "node:assert/strict";
import { it } from "node:test";
import { expression, instanceType, offering, plan, pod, pool } from "../../../../test/support/builders.ts";
import { launchedNode } from "./launched-node.ts";

const taint = { key: "team", value: "red", effect: "NoSchedule" };

it("a launched node is what the plan has chosen, with the labels and taints of its pool", () => {
  const type = instanceType("box", {
    cpu: 4,
    labels: { generation: "5" },
    offerings: [
      offering({ zone: "zone-1", price: 0.4 }),
      offering({ zone: "zone-2", price: 0.1, capacityType: "spot" }),
    ],
  });
  const red = pool("red", {
    labels: { team: "red" },
    taints: [taint],
    requirements: [expression("disk", "In", "ssd")],
  });
  const { nodes } = plan([red, pod("web", { tolerations: [{ key: "team", operator: "Exists" }] })], {
    instanceTypes: [type],
  });
  const [planned] = nodes;
  assert.ok(planned);
  const { labels, ...node } = launchedNode(planned, "new/0");
  assert.deepEqual(node, {
    name: "new/0",
    taints: [taint],
    capacity: new Map(type.capacity).set("nodes", 1),
    allocatable: type.allocatable,
    nodePool: "red",
    isInitialized: false,
    isDeleting: false,
    volumeLimits: new Map(),
    price: 0.1,
  });
  assert.deepEqual(Object.fromEntries(labels), {
    "kubernetes.io/arch": "amd64",
    "kubernetes.io/hostname": "new/0",
    "kubernetes.io/os": "linux",
    "karpenter.kwok.sh/instance-cpu": "4",
    "karpenter.kwok.sh/instance-family": "b",
    "karpenter.kwok.sh/instance-memory": "8Gi",
    "karpenter.kwok.sh/instance-size": "4",
    "karpenter.sh/capacity-type": "spot",
    "karpenter.sh/nodepool": "red",
    "node.kubernetes.io/instance-type": "box",
    "topology.kubernetes.io/zone": "zone-2",
    disk: "ssd",
    generation: "5",
    team: "red",
  });
});
