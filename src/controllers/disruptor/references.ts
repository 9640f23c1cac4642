import type { NodeClaim } from "../../core/model/node-claim.ts";
import type { NodeObject } from "../../core/model/node-object.ts";
import type { NodePoolObject } from "../../core/model/node-pool-object.ts";
import type { ObjectReference } from "../../ports/telemetry.ts";

export function claimReference({ name, uid }: NodeClaim): ObjectReference {
  return { apiVersion: "karpenter.sh/v1", kind: "NodeClaim", name, uid };
}

export function nodeReference({ name, uid }: NodeObject): ObjectReference {
  return { apiVersion: "v1", kind: "Node", name, uid };
}

export function poolReference({ name, uid }: NodePoolObject): ObjectReference {
  return { apiVersion: "karpenter.sh/v1", kind: "NodePool", name, uid };
}
