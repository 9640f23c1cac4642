import type { NodeState } from "./node-state.ts";
import type { PodInfo } from "./pod-info.ts";
import type { SchedulerCache } from "./scheduler-cache.ts";

/** Why a pod cannot go to a node. */
export interface Rejection {
  readonly reasons: readonly string[];
  /** Taking pods off the node might help, so preemption is worth a thought. */
  readonly isResolvable: boolean;
}

/** One rule of the scheduler, prepared for one pod. */
export interface NodeFilter {
  refuse(node: NodeState): Rejection | undefined;
  /** From now on the rule counts this pod as on, or no longer on, that node. Undoing it leaves no trace. */
  adjust?(pod: PodInfo, node: NodeState, change: 1 | -1): void;
}

export type Preparation =
  /** The rule has nothing to say about this pod. */
  | { readonly kind: "skip" }
  /** Whatever the node. */
  | { readonly kind: "refuse"; readonly message: string }
  /** Nodes that are not among `only` need not be looked at. */
  | { readonly kind: "filter"; readonly filter: NodeFilter; readonly only?: ReadonlySet<string> };

/** What a rule may look at to prepare itself. */
export interface Situation {
  readonly cache: SchedulerCache;
  readonly pod: PodInfo;
}

export const skip: Preparation = { kind: "skip" };

/** Nothing on the node can be changed to let the pod in. */
export function unresolvable(...reasons: string[]): Rejection {
  return { reasons, isResolvable: false };
}

export function resolvable(...reasons: string[]): Rejection {
  return { reasons, isResolvable: true };
}

export function filterBy(refuse: NodeFilter["refuse"]): Preparation {
  return { kind: "filter", filter: { refuse } };
}
