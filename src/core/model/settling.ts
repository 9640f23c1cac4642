import { findCondition } from "./condition.ts";
import type { NodeClaim } from "./node-claim.ts";

/**
 * When no pod will have come to a claim's node or left it for so long; undefined before the node is up. Both times that
 * count are on the claim, so that a window goes on when the controller starts anew.
 */
export function settledAt(
  claim: Pick<NodeClaim, "conditions" | "lastPodEventTime">,
  consolidateAfter: number,
): number | undefined {
  const since = claim.lastPodEventTime ?? findCondition(claim, "Initialized")?.lastTransitionTime;
  return since === undefined ? undefined : since + consolidateAfter;
}
