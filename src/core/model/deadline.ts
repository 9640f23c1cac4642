import type { NodeClaim } from "./node-claim.ts";

/** By when a claim's node is to be gone, whatever its pods say. */
export const deadlineAnnotation = "karpenter.sh/nodeclaim-termination-timestamp";

/** Milliseconds since 1970; undefined when the pods have all the time they need. */
export function deadlineOf(claim: Pick<NodeClaim, "annotations"> | undefined): number | undefined {
  const time = Date.parse(claim?.annotations.get(deadlineAnnotation) ?? "");
  return Number.isNaN(time) ? undefined : time;
}
