import type { Condition, ConditionStatus } from "../../src/core/model/condition.ts";
import type { NodeClaim } from "../../src/core/model/node-claim.ts";
import type { NodeObject } from "../../src/core/model/node-object.ts";
import type { Taint } from "../../src/core/model/taints.ts";

const identity = {
  uid: "uid",
  resourceVersion: "1",
  generation: 1,
  createdAt: 0,
  deletedAt: undefined,
  finalizers: [],
  labels: new Map(),
  annotations: new Map(),
  capacity: new Map(),
  allocatable: new Map(),
};

/** A claim that nothing has come of yet. */
export function modelClaim(fields: Partial<NodeClaim> = {}): NodeClaim {
  return {
    ...identity,
    name: "claim",
    requirements: new Map(),
    requirementEntries: [],
    taints: [],
    startupTaints: [],
    requests: new Map(),
    nodeClassRef: { group: "karpenter.kwok.sh", kind: "KWOKNodeClass", name: "default" },
    terminationGracePeriod: undefined,
    expireAfter: undefined,
    providerId: "",
    nodeName: "",
    imageId: "",
    conditions: [],
    lastPodEventTime: undefined,
    ...fields,
  };
}

/** A ready node with these taints. */
export function modelNode(fields: Partial<NodeObject> = {}): NodeObject {
  const { taints = [] } = fields;
  return {
    ...identity,
    name: "node",
    providerId: "test://node",
    writtenTaints: taints.map((taint) => ({ ...taint, timeAdded: undefined })),
    taints,
    ownerUids: [],
    conditions: [{ type: "Ready", status: "True", lastTransitionTime: 0 }],
    ...fields,
  };
}

export function modelTaint(key: string, effect: Taint["effect"], value = ""): Taint {
  return { key, value, effect };
}

export function modelCondition(type: string, status: ConditionStatus, more: Partial<Condition> = {}): Condition {
  return { type, status, reason: type, message: "", lastTransitionTime: 0, observedGeneration: 1, ...more };
}
