import type { Taint, Toleration } from "kubernetes-types/core/v1.js";

/** Whether a taint turns pods away, rather than only making the node less welcome. */
export function isHard({ effect }: Taint): boolean {
  return effect === "NoSchedule" || effect === "NoExecute";
}

export function toleratesAll(tolerations: readonly Toleration[], taints: readonly Taint[]): boolean {
  return taints.every((taint) => isTolerated(tolerations, taint));
}

export function isTolerated(tolerations: readonly Toleration[], taint: Taint): boolean {
  return tolerations.some((toleration) => covers(toleration, taint));
}

/** An empty effect or key covers every one. */
function covers({ key = "", operator = "", value = "", effect = "" }: Toleration, taint: Taint): boolean {
  if (effect !== "" && effect !== taint.effect) return false;
  if (key !== "" && key !== taint.key) return false;
  if (operator === "Exists") return true;
  return (operator === "" || operator === "Equal") && value === (taint.value ?? "");
}
