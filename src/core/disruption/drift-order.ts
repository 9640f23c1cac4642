import { findCondition, isConditionTrue } from "../model/condition.ts";
import type { Candidate } from "./candidate.ts";
import { isEmpty } from "./emptiness.ts";

/** Drifted nodes of pools that follow their pods, in the order in which they go: empty ones, then the longest drifted. */
export function orderDrifted(candidates: readonly Candidate[]): readonly Candidate[] {
  return sortDrifted(candidates.filter(({ pool }) => pool.replicas === undefined));
}

/** The same of whatever pools. */
export function sortDrifted(candidates: readonly Candidate[]): readonly Candidate[] {
  return candidates
    .filter(({ claim }) => isConditionTrue(claim, "Drifted"))
    .sort(
      (left, right) =>
        Number(isEmpty(right)) - Number(isEmpty(left)) ||
        driftedAt(left) - driftedAt(right) ||
        (left.claim.name < right.claim.name ? -1 : 1),
    );
}

function driftedAt({ claim }: Candidate): number {
  return findCondition(claim, "Drifted")?.lastTransitionTime ?? 0;
}
