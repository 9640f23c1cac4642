import type { Condition } from "../model/condition.ts";
import { writeTime } from "./write-time.ts";

/** Conditions as a status holds them. */
export function writeConditions(conditions: readonly Condition[]): object[] {
  return conditions.map(({ type, status, reason, message, lastTransitionTime, observedGeneration }) => ({
    type,
    status,
    reason,
    message,
    lastTransitionTime: writeTime(lastTransitionTime),
    observedGeneration,
  }));
}
