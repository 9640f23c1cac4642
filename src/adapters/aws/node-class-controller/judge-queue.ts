import type { ConditionChange } from "../../../core/model/condition.ts";
import { isNotFound } from "../api/aws-error.ts";
import type { QueueState } from "../interruption/queue-health.ts";
import { explainFailure, shorten } from "./explain-failure.ts";

/** Beside Ready and no part of it: machines can be launched, only nobody hears when AWS takes them away. */
export const queueCondition = "InterruptionQueueReady";

/** What a node class says of the queue of interruptions; undefined to leave what it says. */
export function judgeQueue(state: QueueState): ConditionChange | undefined {
  if (state === "unknown") return undefined;
  if (state === "followed") return { type: queueCondition, status: "True" };
  const message = shorten(state.message);
  if (isNotFound(state.cause)) return { type: queueCondition, status: "False", reason: "QueueNotFound", message };
  const failure = explainFailure(state, []);
  if (failure.kind !== "refused") return undefined;
  return { type: queueCondition, status: "False", reason: failure.reason, message };
}
