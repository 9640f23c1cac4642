import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { InstanceType, Offering } from "../model/instance-type.ts";
import { joinNode } from "../model/join-node.ts";
import { joinNodes } from "../model/join-nodes.ts";
import type { Node } from "../model/node.ts";
import { makeRequirement } from "../model/requirements.ts";
import type { Read } from "./problem.ts";
import { readAttachLimits, readNode } from "./read-node.ts";
import { readNodeClaim } from "./read-node-claim.ts";

function value<T>(read: Read<T>): T {
  if (read.problems !== undefined) assert.fail(JSON.stringify(read.problems));
  return read.value;
}

const startupTaint = { key: "cni", effect: "NoSchedule" };
const poolTaint = { key: "team", value: "a", effect: "NoSchedule" };
const notReady = { key: "node.kubernetes.io/not-ready", effect: "NoSchedule" };

function wireNode(labels: object, rest: { spec?: object; status?: object; metadata?: object } = {}): unknown {
  return {
    metadata: { name: "node-1", labels: { "kubernetes.io/hostname": "host-1", ...labels }, ...rest.metadata },
    spec: { providerID: "p://1", taints: [poolTaint, startupTaint, notReady], ...rest.spec },
    status: { capacity: { cpu: "4", "nvidia.com/gpu": "0" }, allocatable: { cpu: "3900m" }, ...rest.status },
  };
}

const wireClaim = {
  metadata: { name: "claim-1", labels: { "karpenter.sh/nodepool": "default" } },
  spec: {
    taints: [poolTaint],
    startupTaints: [startupTaint],
    requirements: [
      { key: "beta.kubernetes.io/arch", operator: "In", values: ["arm64"] },
      { key: "topology.kubernetes.io/zone", operator: "In", values: ["a", "b"] },
    ],
    resources: { requests: { cpu: "1", pods: "5" } },
  },
  status: {
    providerID: "p://1",
    capacity: { cpu: "4", memory: "8Gi", "nvidia.com/gpu": "1" },
    allocatable: { cpu: "3900m", "nvidia.com/gpu": "1" },
  },
};

function join(node: unknown, claim: unknown): Node {
  if (node !== undefined) {
    return joinNode({
      node: value(readNode(node)),
      claim: claim === undefined ? undefined : value(readNodeClaim(claim)),
    });
  }
  return joinNode({ node: undefined, claim: value(readNodeClaim(claim)) });
}

const teamTaint = { key: "team", value: "a", effect: "NoSchedule" as const };

describe("joinNode", () => {
  it("makes a node of a claim that is not launched, from what it asks for", () => {
    assert.deepEqual(join(undefined, { ...wireClaim, status: {} }), {
      name: "claim-1",
      labels: new Map([
        ["kubernetes.io/hostname", "claim-1"],
        ["kubernetes.io/arch", "arm64"],
        ["karpenter.sh/nodepool", "default"],
      ]),
      taints: [teamTaint],
      capacity: new Map([
        ["cpu", 1000],
        ["pods", 5],
        ["nodes", 1],
      ]),
      allocatable: new Map([
        ["cpu", 1000],
        ["pods", 5],
      ]),
      nodePool: "default",
      isInitialized: false,
      isDeleting: false,
      volumeLimits: new Map(),
      price: undefined,
    });
  });

  it("trusts the claim for labels and taints until the node has registered", () => {
    const { name, labels, taints, capacity, allocatable } = join(wireNode({ early: "yes" }), wireClaim);
    assert.deepEqual(
      { name, labels, taints, capacity, allocatable },
      {
        name: "node-1",
        labels: new Map([
          ["kubernetes.io/hostname", "node-1"],
          ["kubernetes.io/arch", "arm64"],
          ["karpenter.sh/nodepool", "default"],
        ]),
        taints: [teamTaint],
        capacity: new Map([
          ["cpu", 4000],
          ["nvidia.com/gpu", 1],
          ["memory", 8 * 2 ** 30],
          ["nodes", 1],
        ]),
        allocatable: new Map([
          ["cpu", 3900],
          ["nvidia.com/gpu", 1],
        ]),
      },
    );
  });

  it("looks past the taints of the start until the node is initialized", () => {
    const registered = { "karpenter.sh/registered": "true", "karpenter.sh/nodepool": "default" };
    const starting = join(wireNode(registered), wireClaim);
    assert.deepEqual([starting.labels.get("kubernetes.io/hostname"), starting.taints], ["host-1", [teamTaint]]);
    const done = join(wireNode({ ...registered, "karpenter.sh/initialized": "true" }), wireClaim);
    assert.deepEqual([done.isInitialized, done.taints.length, done.allocatable], [true, 3, new Map([["cpu", 3900]])]);
  });

  it("takes a node that is not ours as it is", () => {
    const node = join(wireNode({}, { spec: { unschedulable: true } }), undefined);
    assert.deepEqual(
      [node.nodePool, node.isInitialized, node.taints.at(-1)],
      ["", true, { key: "node.kubernetes.io/unschedulable", value: "", effect: "NoSchedule" }],
    );
  });

  it("knows when a node is going away", () => {
    const deleted = { deletionTimestamp: "2026-01-01T00:00:00Z" };
    const terminating = { conditions: [{ type: "InstanceTerminating", status: "True" }] };
    const nodes = [
      join(wireNode({}, { metadata: deleted }), undefined),
      join(wireNode({}), { ...wireClaim, metadata: { ...wireClaim.metadata, ...deleted } }),
      join(wireNode({}), { ...wireClaim, status: { ...wireClaim.status, ...terminating } }),
      join(wireNode({}), wireClaim),
    ];
    assert.deepEqual(
      nodes.map(({ isDeleting }) => isDeleting),
      [true, true, true, false],
    );
  });
});

describe("joinNodes", () => {
  it("counts the largest and the dearest machine that a claim may become until it is one", () => {
    const offering = (zone: string, price: number): Offering => ({
      requirements: new Map([
        ["topology.kubernetes.io/zone", makeRequirement("In", [zone])],
        ["karpenter.sh/capacity-type", makeRequirement("In", ["on-demand"])],
      ]),
      price,
      isAvailable: true,
      reservationCapacity: undefined,
      reservationId: undefined,
      allocatable: undefined,
    });
    const type = (name: string, cpu: number, offerings: readonly Offering[]): InstanceType => {
      const capacity = new Map([["cpu", cpu]]);
      return { name, capacity, allocatable: capacity, requirements: new Map(), offerings };
    };
    const requirements = [
      { key: "node.kubernetes.io/instance-type", operator: "In", values: ["small", "large"] },
      { key: "topology.kubernetes.io/zone", operator: "In", values: ["a", "b"] },
    ];
    const claim = { ...wireClaim, spec: { ...wireClaim.spec, requirements } };
    const joined = (status: object): unknown => {
      const [node] = joinNodes({
        nodes: [],
        claims: [value(readNodeClaim({ ...claim, status }))],
        volumeLimits: new Map(),
        instanceTypes: [
          type("small", 2000, [offering("a", 0.1), offering("b", 0.2)]),
          type("large", 8000, [offering("a", 0.15), offering("c", 0.9)]),
          type("other", 16_000, [offering("a", 1)]),
        ],
      });
      return [node?.capacity.get("cpu"), node?.price];
    };
    assert.deepEqual(
      [joined({}), joined(wireClaim.status)],
      [
        [8000, 0.2],
        [4000, undefined],
      ],
    );
  });
});

describe("readAttachLimits", () => {
  it("reads the limits of drivers that have one", () => {
    const drivers = [{ name: "ebs.csi.aws.com", allocatable: { count: 25 } }, { name: "efs.csi.aws.com" }];
    assert.deepEqual(value(readAttachLimits({ metadata: { name: "node-1" }, spec: { drivers } })), {
      nodeName: "node-1",
      limits: new Map([["ebs.csi.aws.com", 25]]),
    });
  });
});
