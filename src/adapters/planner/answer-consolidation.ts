import { Fleet, type Part } from "../../core/disruption/fleet.ts";
import { searchConsolidation } from "../../core/disruption/search-consolidation.ts";
import { settingsOf } from "../../core/scheduling/choose-plan.ts";
import type { ConsolidationAnswer, ConsolidationMove, ConsolidationRequest } from "../../ports/planner.ts";
import { portableNode } from "./answer-plan.ts";

export interface SearchEffort {
  readonly maxEvaluations: number;
  /** Of each evaluation. */
  readonly maxRounds: number;
  readonly shouldStop: () => boolean;
}

/** What a node costs besides its price, in dollars an hour: pods are not moved for the sake of fewer nodes. */
const pricePerNode = 0.02;

/** Searches step by step; between two of them something else can be done. */
export function* answerConsolidation(
  request: ConsolidationRequest,
  { maxEvaluations, maxRounds, shouldStop }: SearchEffort,
): Generator<undefined, ConsolidationAnswer> {
  const { snapshot, pendingPods, candidates, isSpotToSpotEnabled, seed } = request;
  const fleet = new Fleet(
    { snapshot, pendingPods, leavers: candidates, destinations: request.laterDestinations, isSpotToSpotEnabled },
    settingsOf(request, { reservedCapacity: "Fallback", pricePerNode, maxRounds, shouldStop }),
  );
  const possible = { budgets: request.budgets, destinations: request.destinations };
  const plan = yield* searchConsolidation(fleet, { possible, seed, maxEvaluations, shouldStop });
  const nameOf = (index: number): string => candidates[index]?.nodeName ?? "";
  const portable = ({ members, launches, savings, disturbance }: Part): ConsolidationMove => ({
    nodeNames: members.map(nameOf),
    launches: launches.map(portableNode),
    savings,
    disturbance,
  });
  return {
    moves: plan.parts.map(portable),
    whole: {
      nodeNames: plan.whole.members.map(nameOf),
      launches: plan.whole.parts.reduce((sum, { launches }) => sum + launches.length, 0),
      savings: plan.whole.parts.reduce((sum, { savings }) => sum + savings, 0),
    },
    stays: new Map(Array.from(plan.stays, ([index, reason]) => [nameOf(index), reason])),
    rejected: plan.rejected.map(({ members, ...rest }) => ({ ...rest, nodeNames: members.map(nameOf) })),
    isCutShort: plan.isCutShort,
    evaluations: fleet.evaluations,
  };
}
