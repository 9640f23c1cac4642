import type { PlanRequest } from "../../core/scheduling/plan-request.ts";
import type { ConsolidationAnswer, ConsolidationRequest, PlanAnswer, Planner } from "../../ports/planner.ts";
import { answerConsolidation } from "./answer-consolidation.ts";
import { answerPlan } from "./answer-plan.ts";

const maxRounds = 20;
const maxEvaluations = 60;
const searchRounds = 1;

/** Plans here and now: for simulations, in which a plan must not depend on how fast the machine is. */
export class InProcessPlanner implements Planner {
  async plan(request: PlanRequest): Promise<PlanAnswer> {
    return answerPlan(request, { effort: () => ({ maxRounds, shouldStop: () => false }), isLate: () => false });
  }

  async consolidate(request: ConsolidationRequest): Promise<ConsolidationAnswer> {
    const search = answerConsolidation(request, { maxEvaluations, maxRounds: searchRounds, shouldStop: () => false });
    for (let step = search.next(); ; step = search.next()) if (step.done === true) return step.value;
  }

  async stop(): Promise<void> {}
}
