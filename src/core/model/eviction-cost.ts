import type { Pod } from "./pod.ts";

export const deletionCostAnnotation = "controller.kubernetes.io/pod-deletion-cost";
/** Both are numbers of 32 bits; so divided, an extreme deletion cost weighs like sixteen pods, a priority like more. */
const deletionCostUnit = 2 ** 27;
const priorityUnit = 2 ** 25;
const extreme = 10;

/** How much it hurts to move a pod; 1 for most, never beyond 10 either way. */
export function evictionCost({ annotations, spec }: Pick<Pod, "annotations" | "spec">): number {
  const deletionCost = Number(annotations.get(deletionCostAnnotation) ?? 0);
  const cost = 1 + (Number.isNaN(deletionCost) ? 0 : deletionCost / deletionCostUnit) + spec.priority / priorityUnit;
  return Math.max(-extreme, Math.min(cost, extreme));
}
