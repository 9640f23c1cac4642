import type { NodeClaim } from "../model/node-claim.ts";

/** By when a claim's node is to be gone, whatever its pods say. */
export const deadlineAnnotation = "karpenter.sh/nodeclaim-termination-timestamp";

/** Milliseconds since 1970; undefined when the pods have all the time they need. */
export function deadlineOf(claim: Pick<NodeClaim, "annotations"> | undefined): number | undefined {
  const time = Date.parse(claim?.annotations.get(deadlineAnnotation) ?? "");
  return Number.isNaN(time) ? undefined : time;
}

/** The deadline that a claim being deleted lacks; undefined when it has one or needs none. */
export function missingDeadline(claim: NodeClaim): number | undefined {
  const { deletedAt, terminationGracePeriod } = claim;
  if (deletedAt === undefined || terminationGracePeriod === undefined) return undefined;
  return deadlineOf(claim) === undefined ? deletedAt + terminationGracePeriod : undefined;
}
