import type { ConditionChange } from "../model/condition.ts";
import { registeredLabel } from "../model/labels.ts";
import type { NodeClaim } from "../model/node-claim.ts";
import { isNodeReady, type NodeObject, type WrittenTaint } from "../model/node-object.ts";
import type { Taint } from "../model/taints.ts";

/** On a new node until it carries all that its claim asks for; keeps everybody's pods away. */
export const unregisteredTaint: Taint = { key: "karpenter.sh/unregistered", value: "", effect: "NoExecute" };

const notReadyTaint: Taint = { key: "node.kubernetes.io/not-ready", value: "", effect: "NoExecute" };

/** With the value "true" on a node: its taints are somebody else's business. */
const doNotSyncTaintsLabel = "karpenter.sh/do-not-sync-taints";

export type RegistrationStep =
  | { readonly kind: "wait"; readonly change: ConditionChange }
  | {
      readonly kind: "register";
      readonly node: NodeObject;
      /** Pods may have come to the node before it carried what keeps them away. */
      readonly isTaintMissing: boolean;
    };

export const nodeNotFound: ConditionChange = {
  type: "Registered",
  status: "Unknown",
  reason: "NodeNotFound",
  message: "Node not registered with cluster",
};

const multipleNodes: ConditionChange = {
  type: "Registered",
  status: "False",
  reason: "MultipleNodesFound",
  message: "Invariant violated, matched multiple nodes",
};

/** What a launched claim waits for, or the node that it gets. */
export function registrationStep(nodes: readonly NodeObject[]): RegistrationStep {
  const [node, ...others] = nodes.filter(({ deletedAt }) => deletedAt === undefined);
  if (node === undefined) return { kind: "wait", change: nodeNotFound };
  if (others.length > 0) return { kind: "wait", change: multipleNodes };
  const isTaintMissing = !node.labels.has(registeredLabel) && !hasUnregisteredTaint(node);
  return { kind: "register", node, isTaintMissing };
}

function hasUnregisteredTaint({ writtenTaints }: NodeObject): boolean {
  return writtenTaints.some(({ key }) => key === unregisteredTaint.key);
}

/**
 * The taints that the node has once it is registered: its own and those that its claim asks for, without ours. What
 * kube-controller-manager says of nodes that are not ready goes too if the node is ready: by itself it looks only every
 * five seconds.
 */
export function registeredTaints(claim: NodeClaim, node: NodeObject): readonly WrittenTaint[] {
  const taints = node.writtenTaints.filter((taint) => !isClosing(taint, node));
  if (node.labels.get(doNotSyncTaintsLabel) === "true") return taints;
  for (const taint of [...claim.taints, ...claim.startupTaints]) {
    if (!taints.some((present) => isSameTaint(present, taint))) taints.push({ ...taint, timeAdded: undefined });
  }
  return taints;
}

function isClosing(taint: Taint, node: NodeObject): boolean {
  return taint.key === unregisteredTaint.key || (isSameTaint(taint, notReadyTaint) && isNodeReady(node));
}

/** A node has a taint of one key and effect once. */
export function isSameTaint(left: Taint, right: Taint): boolean {
  return left.key === right.key && left.effect === right.effect;
}
