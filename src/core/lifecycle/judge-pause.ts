import type { ConditionChange } from "../model/condition.ts";
import type { NodePoolObject } from "../model/node-pool-object.ts";
import { pausedAnnotation } from "../model/pool-disruption.ts";

/** On a pool whose nodes do not go by a decision of ours. Absent otherwise. */
export const pausedCondition = "DisruptionPaused";

export function judgePause({ name, disruption }: NodePoolObject): ConditionChange | undefined {
  if (!disruption.isPaused) return undefined;
  const message = `The annotation ${pausedAnnotation} keeps the nodes of this pool from being consolidated or replaced. To resume: kubectl annotate nodepool ${name} ${pausedAnnotation}-`;
  return { type: pausedCondition, status: "True", message };
}
