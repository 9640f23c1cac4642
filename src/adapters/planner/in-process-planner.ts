import type { PlanAnswer, Planner, PlanRequest } from "../../ports/planner.ts";
import { answerPlan } from "./answer-plan.ts";

const maxRounds = 20;

/** Plans here and now: for simulations, in which a plan must not depend on how fast the machine is. */
export class InProcessPlanner implements Planner {
  async plan(request: PlanRequest): Promise<PlanAnswer> {
    return answerPlan(request, () => ({ maxRounds, shouldStop: () => false }));
  }

  async stop(): Promise<void> {}
}
