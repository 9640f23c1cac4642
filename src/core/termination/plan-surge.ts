import type { Rollout } from "../model/rollout.ts";

/** Pods of one owner that leave their nodes, and how far their replacement is. */
export interface SurgeQuestion {
  readonly rollout: Rollout;
  /** What each of the pods was made from. */
  readonly revisions: readonly string[];
  /** When the first of their nodes began to go, or something of the rollout last happened. */
  readonly since: number;
  readonly now: number;
}

export type SurgeStep =
  /** Nothing replaces the pods yet. */
  | { readonly kind: "restart" }
  /** The rollout takes the pods away when others stand in for them. */
  | { readonly kind: "wait"; readonly until: number }
  /** Nothing will: they go as pods without a wish do. */
  | { readonly kind: "evict"; readonly reason: string };

/**
 * A pod that was made from something older than its owner has now is about to be replaced, whoever asked for that; so
 * all pods of an owner that leave together need one restart, and a controller that starts anew finds it done.
 */
export function planSurge({ rollout, revisions, since, now }: SurgeQuestion): SurgeStep {
  const { obstacle, revision, hasStalled, patience } = rollout;
  if (obstacle !== undefined) return { kind: "evict", reason: obstacle };
  if (revision !== undefined && revisions.includes(revision)) return { kind: "restart" };
  if (hasStalled) return { kind: "evict", reason: "its rollout has exceeded its progress deadline" };
  const until = Math.max(since, rollout.restartedAt ?? since, rollout.progressedAt ?? since) + patience;
  if (now < until) return { kind: "wait", until };
  return { kind: "evict", reason: `its rollout has made no progress for ${patience / 1000} s` };
}
