import { isConditionTrue } from "../model/condition.ts";
import type { NodeClaim } from "../model/node-claim.ts";
import type { NodePoolObject } from "../model/node-pool-object.ts";
import { settledAt } from "../model/settling.ts";

/** Whether a claim's node has been quiet long enough to be consolidated, or when it will have been. */
export type Quiet =
  | { readonly kind: "consolidatable" }
  | { readonly kind: "wait"; readonly milliseconds: number }
  /** As long as nothing changes on the claim or its pool. */
  | { readonly kind: "never" };

export function judgeQuiet(
  claim: Pick<NodeClaim, "conditions" | "lastPodEventTime">,
  pool: Pick<NodePoolObject, "replicas" | "disruption">,
  now: number,
): Quiet {
  const { consolidateAfter } = pool.disruption;
  if (pool.replicas !== undefined || consolidateAfter === undefined || !isConditionTrue(claim, "Initialized")) {
    return { kind: "never" };
  }
  const milliseconds = (settledAt(claim, consolidateAfter) ?? now) - now;
  return milliseconds > 0 ? { kind: "wait", milliseconds } : { kind: "consolidatable" };
}
