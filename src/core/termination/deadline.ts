import { deadlineOf } from "../model/deadline.ts";
import type { NodeClaim } from "../model/node-claim.ts";

/** The deadline that a claim being deleted lacks; undefined when it has one or needs none. */
export function missingDeadline(claim: NodeClaim): number | undefined {
  const { deletedAt, terminationGracePeriod } = claim;
  if (deletedAt === undefined || terminationGracePeriod === undefined) return undefined;
  return deadlineOf(claim) === undefined ? deletedAt + terminationGracePeriod : undefined;
}
