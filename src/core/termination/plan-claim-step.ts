import { isConditionTrue } from "../model/condition.ts";
import { registeredLabel } from "../model/labels.ts";
import type { NodeClaim } from "../model/node-claim.ts";
import type { NodeObject } from "../model/node-object.ts";
import { missingDeadline } from "./deadline.ts";

/** What a claim that is being deleted needs next. */
export type ClaimStep =
  /** To say by when its node is to be gone. */
  | { readonly kind: "set-deadline"; readonly deadline: number }
  /** Its nodes have to be drained and gone first; these have not been told yet. */
  | { readonly kind: "await-nodes"; readonly toDelete: readonly NodeObject[] }
  | { readonly kind: "end-instance" }
  /** A launch may have come to something that the claim does not know of. */
  | { readonly kind: "search-instances" };

/** A node that never registered has no pods of anybody's, so it is not drained; it goes with its machine. */
export function planClaimStep(claim: NodeClaim, nodes: readonly NodeObject[]): ClaimStep {
  const deadline = missingDeadline(claim);
  if (deadline !== undefined) return { kind: "set-deadline", deadline };
  const isRegistered =
    isConditionTrue(claim, "Registered") || nodes.some(({ labels }) => labels.get(registeredLabel) === "true");
  if (isRegistered && nodes.length > 0) {
    return { kind: "await-nodes", toDelete: nodes.filter(({ deletedAt }) => deletedAt === undefined) };
  }
  return { kind: claim.providerId === "" ? "search-instances" : "end-instance" };
}
