import type { CronSchedule } from "./cron-schedule.ts";

/** Why a node goes by a decision of ours. */
export type DisruptionReason = "Underutilized" | "Empty" | "Drifted";
export type ConsolidationPolicy = "WhenEmpty" | "WhenEmptyOrUnderutilized" | "Balanced";

/** What a pool says about taking its nodes away. */
export interface PoolDisruption {
  /** Milliseconds without a pod coming or going before a node can be consolidated; undefined is never. */
  readonly consolidateAfter: number | undefined;
  readonly consolidationPolicy: ConsolidationPolicy;
  readonly budgets: readonly NodeBudget[];
  /** Under Balanced: how many times the average worth of a disturbance a move must save. */
  readonly balancedThreshold: number;
  /** Nodes of the pool do not go by our decision. */
  readonly isPaused: boolean;
  /** Milliseconds; nodes of that age are replaced within budgets, long before they must go. Undefined is never. */
  readonly softExpireAfter: number | undefined;
}

/** How many nodes of a pool may be going at once. */
export interface NodeBudget {
  readonly nodes:
    | { readonly kind: "count"; readonly count: number }
    | { readonly kind: "percent"; readonly percent: number };
  /** When it counts; always when undefined. */
  readonly window: { readonly schedule: CronSchedule; readonly durationMilliseconds: number } | undefined;
  /** Undefined is all. */
  readonly reasons: ReadonlySet<DisruptionReason> | undefined;
  /** What is wrong with it. Such a budget allows nothing of what it would have governed. */
  readonly problem: string | undefined;
}

/** Stops voluntary moves of a pool at once. */
export const pausedAnnotation = "karpenter.sh/paused";
/** A number in place of 0.5, for pools with the policy Balanced. */
export const balancedThresholdAnnotation = "karpenter.sh/balanced-threshold";
/** A duration after which nodes of a pool are replaced within its budgets; expireAfter stays the hard limit. */
export const softExpireAfterAnnotation = "karpenter.sh/soft-expire-after";
