import { nodeClaims } from "../../core/api/karpenter-resources.ts";
import type { NodeClaim } from "../../core/model/node-claim.ts";
import type { NodeObject } from "../../core/model/node-object.ts";
import type { Pod } from "../../core/model/pod.ts";
import type { ObjectReference } from "../../ports/telemetry.ts";
import { apiVersionOf } from "../../runtime/kube-object.ts";

export function claimReference({ name, uid }: NodeClaim): ObjectReference {
  return { apiVersion: apiVersionOf(nodeClaims), kind: nodeClaims.kind, name, uid };
}

export function nodeReference({ name, uid }: NodeObject): ObjectReference {
  return { apiVersion: "v1", kind: "Node", name, uid };
}

export function podReference({ namespace, name, uid }: Pod): ObjectReference {
  return { apiVersion: "v1", kind: "Pod", namespace, name, uid };
}
