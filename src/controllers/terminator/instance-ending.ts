import { findCondition } from "../../core/model/condition.ts";
import type { NodeClaim } from "../../core/model/node-claim.ts";

const shortestPause = 500;
const longestPause = 5_000;

/** How long to wait before the cloud is asked again whether a machine is gone: most end soon, some take minutes. */
export function pauseBeforeNextAsk(claim: NodeClaim, now: number): number {
  const since = findCondition(claim, "InstanceTerminating")?.lastTransitionTime ?? now;
  return Math.min(Math.max(now - since, shortestPause), longestPause);
}
