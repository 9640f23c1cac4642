import type { Pod } from "./pod.ts";

export const drainStrategyAnnotation = "karpenter.sh/drain-strategy";

/** Whether what owns the pod is to bring up another before this one leaves its node. */
export function wantsSurge({ annotations }: Pick<Pod, "annotations">): boolean {
  return annotations.get(drainStrategyAnnotation) === "surge";
}
