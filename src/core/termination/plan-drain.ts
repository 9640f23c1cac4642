import { type BudgetVerdict, type DisruptionBudget, judgeEviction } from "../model/disruption-budget.ts";
import { holdOf, isHeld } from "../model/do-not-disrupt.ts";
import type { Pod } from "../model/pod.ts";
import { isDaemonPod } from "../model/pod-lifecycle.ts";
import { isAwaited, stuckAt } from "./drainable.ts";

export interface DrainQuestion {
  /** All pods on the node. */
  readonly pods: readonly Pod[];
  readonly budgets: readonly DisruptionBudget[];
  /** Whether another pod is to stand in before this one leaves. */
  readonly isReplacedFirst: (pod: Pod) => boolean;
  /** When the node goes whatever its pods say; undefined when it waits for them. */
  readonly deadline: number | undefined;
  readonly now: number;
}

export interface DrainPlan {
  /** Pods to ask out, which their budgets may refuse. */
  readonly evictions: readonly Pod[];
  /** Pods that their owners are to replace, which takes them away. */
  readonly surges: readonly Pod[];
  /** Pods whose time is up: they go whatever protects them. */
  readonly deletions: readonly ForcedDeletion[];
  /** Every pod that the node still waits for; none when it is drained. */
  readonly waits: readonly Wait[];
  /** When the plan changes although no pod does. */
  readonly lookAgainAt: number | undefined;
}

export interface ForcedDeletion {
  readonly pod: Pod;
  readonly graceSeconds: number;
}

/** Why a pod is still there. */
export type Wait = { readonly pod: Pod } & (
  | { readonly kind: "leaving" }
  | { readonly kind: "held" }
  /** Another pod has to be up before. */
  | { readonly kind: "replacement" }
  | { readonly kind: "budget"; readonly verdict: Exclude<BudgetVerdict, { kind: "allowed" }> }
  /** Pods that may depend on it go first. */
  | { readonly kind: "turn" }
);

/** What to do now so that the pods leave the node: the unimportant ones first, and daemons after those they serve. */
export function planDrain({ pods, budgets, isReplacedFirst, deadline, now }: DrainQuestion): DrainPlan {
  const awaited = pods.filter((pod) => isAwaited(pod, now));
  const current = Math.min(...awaited.map(tierOf));
  const evictions: Pod[] = [];
  const surges: Pod[] = [];
  const deletions: ForcedDeletion[] = [];
  const waits: Wait[] = [];
  let lookAgainAt = Infinity;
  for (const pod of awaited) {
    const forced = forcedDeletion(pod, { deadline, now });
    if (forced !== undefined) {
      deletions.push(forced);
      waits.push({ kind: "leaving", pod });
      continue;
    }
    lookAgainAt = Math.min(lookAgainAt, ...turningPoints(pod, deadline).filter((time) => time > now));
    if (pod.isDeleting) waits.push({ kind: "leaving", pod });
    else if (isHeld(pod, now)) waits.push({ kind: "held", pod });
    else if (tierOf(pod) > current) waits.push({ kind: "turn", pod });
    else if (isReplacedFirst(pod)) {
      surges.push(pod);
      waits.push({ kind: "replacement", pod });
    } else {
      evictions.push(pod);
      const verdict = judgeEviction(pod, budgets);
      waits.push(verdict.kind === "allowed" ? { kind: "leaving", pod } : { kind: "budget", pod, verdict });
    }
  }
  return { evictions, surges, deletions, waits, lookAgainAt: lookAgainAt === Infinity ? undefined : lookAgainAt };
}

/**
 * Whether the pod has to be deleted now to be gone by the deadline, and what is left of its grace: at least a second,
 * because none at all would remove the object while its containers may still run. A deletion that was asked for already
 * is shortened where it would end too late.
 */
export function forcedDeletion(
  pod: Pod,
  { deadline, now }: Pick<DrainQuestion, "deadline" | "now">,
): ForcedDeletion | undefined {
  if (deadline === undefined) return undefined;
  const graceSeconds = Math.max(1, Math.floor((deadline - now) / 1000));
  const isDue = pod.isDeleting
    ? pod.deletesAt !== undefined && pod.deletesAt > deadline && pod.deletesAt > now + graceSeconds * 1000
    : now >= deadline - pod.graceSeconds * 1000;
  return isDue ? { pod, graceSeconds } : undefined;
}

const criticalClasses: ReadonlySet<string> = new Set(["system-cluster-critical", "system-node-critical"]);

function tierOf(pod: Pod): number {
  return (criticalClasses.has(pod.priorityClassName) ? 2 : 0) + (isDaemonPod(pod) ? 1 : 0);
}

/** When something else is to be done about the pod. */
function turningPoints(pod: Pod, deadline: number | undefined): number[] {
  if (pod.isDeleting) return [stuckAt(pod) ?? Infinity];
  const hold = holdOf(pod);
  return [
    hold.kind === "until" ? (hold.time ?? Infinity) : Infinity,
    deadline === undefined ? Infinity : deadline - pod.graceSeconds * 1000,
  ];
}
