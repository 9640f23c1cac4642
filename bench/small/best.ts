import type { Plan } from "../wire.ts";

/** Of several runs of a planner on one batch. */
export interface Best {
  readonly seconds: number;
  readonly plan: Plan;
}
