import { isHeld } from "./do-not-disrupt.ts";
import { canSurge } from "./drain-strategy.ts";
import type { Pod } from "./pod.ts";
import { isActive, isMirrorPod } from "./pod-lifecycle.ts";
import { type Selector, selects } from "./selector.ts";
import { disruptedTaint, tolerates } from "./taints.ts";

/** A PodDisruptionBudget. */
export interface DisruptionBudget {
  readonly namespace: string;
  readonly name: string;
  /** Undefined selects nothing. */
  readonly selector: Selector | undefined;
  readonly disruptionsAllowed: number;
  /** Pods that are not ready may be evicted whatever the count. */
  readonly alwaysAllowsUnhealthy: boolean;
  /** It asks for all pods to be available always, so that waiting changes nothing. */
  readonly neverAllows: boolean;
}

/** A volume that is or was attached to a node. */
export interface VolumeAttachment {
  readonly name: string;
  readonly nodeName: string;
  /** "" for an inline volume. */
  readonly volumeName: string;
}

export type BudgetVerdict =
  | { readonly kind: "allowed" }
  /** The budget allows no disruption now, or never. */
  | { readonly kind: "exhausted"; readonly budget: DisruptionBudget }
  /** The API evicts no pod that several budgets select. */
  | { readonly kind: "several"; readonly budgets: readonly DisruptionBudget[] };

/** Whether the budgets let the pod be evicted now. */
export function judgeEviction(pod: Pod, budgets: readonly DisruptionBudget[]): BudgetVerdict {
  const matching = inNamespace(budgets, pod.namespace).filter((budget) => covers(budget, pod));
  const [budget] = matching;
  if (budget === undefined) return { kind: "allowed" };
  if (matching.length > 1) return { kind: "several", budgets: matching };
  if (budget.alwaysAllowsUnhealthy && pod.readyAt === undefined) return { kind: "allowed" };
  return budget.disruptionsAllowed > 0 ? { kind: "allowed" } : { kind: "exhausted", budget };
}

/** Whoever asks about one pod asks about thousands, with the same list. */
const groups = new WeakMap<readonly DisruptionBudget[], ReadonlyMap<string, readonly DisruptionBudget[]>>();

function inNamespace(budgets: readonly DisruptionBudget[], namespace: string): readonly DisruptionBudget[] {
  let byNamespace = groups.get(budgets);
  if (byNamespace === undefined) {
    byNamespace = Map.groupBy(budgets, (budget) => budget.namespace);
    groups.set(budgets, byNamespace);
  }
  return byNamespace.get(namespace) ?? [];
}

export function covers({ namespace, selector }: DisruptionBudget, pod: Pod): boolean {
  return namespace === pod.namespace && selects(selector, pod.labels);
}

/** Whether anybody would evict the pod when its node goes. Others neither wait for it nor are blocked by it. */
export function isEvictable(pod: Pod, now: number): boolean {
  return isActive(pod) && !isMirrorPod(pod) && !tolerates(pod.spec.tolerations, disruptedTaint) && !isHeld(pod, now);
}

/**
 * Whether a pod on a node that goes away stays there to the end: its annotation holds it, or its budgets will never let
 * it be evicted. A budget that allows nothing only for now is not such a reason.
 */
export function mustStay(pod: Pod, budgets: readonly DisruptionBudget[], now: number): boolean {
  if (isHeld(pod, now)) return true;
  if (!isEvictable(pod, now) || canSurge(pod)) return false;
  const verdict = judgeEviction(pod, budgets);
  return verdict.kind === "several" || (verdict.kind === "exhausted" && verdict.budget.neverAllows);
}
