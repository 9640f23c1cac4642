import { capacityTypeLabel, type Labels } from "../../../core/model/labels.ts";
import type { NodeClaim } from "../../../core/model/node-claim.ts";
import type { Taint } from "../../../core/model/taints.ts";
import type { ImageFamily } from "../node-class/ec2-node-class.ts";

const unregisteredTaint: Taint = { key: "karpenter.sh/unregistered", value: "", effect: "NoExecute" };
const doNotSyncTaintsLabel = "karpenter.sh/do-not-sync-taints";

/** The API server refuses a node that brings labels in these domains along. */
const refusedDomains = ["kubernetes.io", "k8s.io"];

/** The labels that a kubelet registers its node with; all others are added once the node is there. */
export function bootstrapLabels(
  { labels }: Pick<NodeClaim, "labels">,
  capacityType: string,
  family: ImageFamily,
): Labels {
  const all = new Map(labels).set(capacityTypeLabel, capacityType);
  // Whoever writes all user data themselves may not have given the kubelet the taints.
  if (family !== "Custom") all.set(doNotSyncTaintsLabel, "true");
  return new Map([...all].filter(([key]) => !isRefused(key)));
}

/** The taints that a kubelet registers its node with: those of the claim, and the one that says nobody has seen it yet. */
export function bootstrapTaints({ taints, startupTaints }: Pick<NodeClaim, "taints" | "startupTaints">): Taint[] {
  const all = [...taints, ...startupTaints];
  const isThere = all.some(({ key, effect }) => key === unregisteredTaint.key && effect === unregisteredTaint.effect);
  return isThere ? all : [...all, unregisteredTaint];
}

function isRefused(key: string): boolean {
  const slash = key.indexOf("/");
  const domain = key.slice(0, Math.max(0, slash));
  return refusedDomains.some((refused) => domain === refused || domain.endsWith(`.${refused}`));
}
