import { isConditionTrue } from "../model/condition.ts";
import type { Candidate } from "./candidate.ts";

/** Nodes that nobody needs, those first that cost most for the little that their going disturbs. */
export function findEmpty(candidates: readonly Candidate[]): readonly Candidate[] {
  return byWorth(
    candidates.filter(
      (candidate) =>
        candidate.pool.replicas === undefined &&
        candidate.pool.disruption.consolidateAfter !== undefined &&
        isConditionTrue(candidate.claim, "Consolidatable") &&
        isEmpty(candidate),
    ),
  );
}

/** Without pods that would want another place, however little they cost to move: they would only come back. */
export function isEmpty({ pods, disturbance }: Pick<Candidate, "pods" | "disturbance">): boolean {
  return pods.length === 0 && disturbance <= 1;
}

/** What costs most for each unit of disturbance comes first; of equals, the older node. */
export function byWorth(candidates: readonly Candidate[]): readonly Candidate[] {
  return [...candidates].sort(
    (left, right) =>
      worthOf(right) - worthOf(left) ||
      left.claim.createdAt - right.claim.createdAt ||
      (left.claim.name < right.claim.name ? -1 : 1),
  );
}

function worthOf({ price, disturbance }: Candidate): number {
  return price / disturbance;
}
