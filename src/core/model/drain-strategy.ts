import type { Pod } from "./pod.ts";
import { controllerOf } from "./workload.ts";

export const drainStrategyAnnotation = "karpenter.sh/drain-strategy";
/** On all pods that a Deployment has made by its ReplicaSets. */
const deploymentLabel = "pod-template-hash";

/** Whether what owns the pod is to bring up another before this one leaves its node. */
export function wantsSurge({ annotations }: Pick<Pod, "annotations">): boolean {
  return annotations.get(drainStrategyAnnotation) === "surge";
}

/**
 * Whether the pod wants that and has an owner of a kind that can. Such a pod is not evicted, so that no budget is asked;
 * whether its owner will, in the end, only the owner says.
 */
export function canSurge({ annotations, owners, labels }: Pick<Pod, "annotations" | "owners" | "labels">): boolean {
  if (!wantsSurge({ annotations })) return false;
  const owner = controllerOf({ owners });
  if (owner?.apiVersion !== "apps/v1") return false;
  return owner.kind === "StatefulSet" || (owner.kind === "ReplicaSet" && labels.has(deploymentLabel));
}
