import { findCondition } from "../model/condition.ts";
import type { NodeClaim } from "../model/node-claim.ts";
import type { NodePoolObject } from "../model/node-pool-object.ts";

/** Whether a claim's node has been quiet long enough to be consolidated, or when it will have been. */
export type Quiet =
  | { readonly kind: "consolidatable" }
  | { readonly kind: "wait"; readonly milliseconds: number }
  /** As long as nothing changes on the claim or its pool. */
  | { readonly kind: "never" };

/** Both times that count are on the claim, so that a window goes on when the controller starts anew. */
export function judgeQuiet(
  claim: Pick<NodeClaim, "conditions" | "lastPodEventTime">,
  pool: Pick<NodePoolObject, "replicas" | "disruption">,
  now: number,
): Quiet {
  const { consolidateAfter } = pool.disruption;
  const initialized = findCondition(claim, "Initialized");
  if (pool.replicas !== undefined || consolidateAfter === undefined || initialized?.status !== "True") {
    return { kind: "never" };
  }
  const milliseconds = (claim.lastPodEventTime ?? initialized.lastTransitionTime) + consolidateAfter - now;
  return milliseconds > 0 ? { kind: "wait", milliseconds } : { kind: "consolidatable" };
}
