import type { Job, JobCondition } from "kubernetes-types/batch/v1.js";
import type { Pod } from "kubernetes-types/core/v1.js";
import type { Stored } from "./resource.ts";

/** What is to be said of a job. */
export interface Verdict {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  readonly message: string;
}

export function isOver({ status }: Job): boolean {
  return (status?.conditions ?? []).some(
    ({ type, status: value }) => (type === "Complete" || type === "Failed") && value === "True",
  );
}

export function failure(reason: string, message: string): Verdict {
  return { type: "FailureTarget", status: "True", reason, message };
}

export function isSuccess({ type }: Verdict): boolean {
  return type === "SuccessCriteriaMet";
}

export function hasFailed({ spec }: Job, pod: Stored<Pod>): boolean {
  if (pod.status?.phase === "Failed") return true;
  const countsAtOnce = spec?.podReplacementPolicy !== "Failed";
  return countsAtOnce && pod.metadata.deletionTimestamp !== undefined;
}

export function restartsOf({ status }: Pod): number {
  return (status?.containerStatuses ?? []).reduce((sum, { restartCount }) => sum + restartCount, 0);
}

export function setCondition(conditions: JobCondition[], verdict: Verdict, now: string): void {
  const at = conditions.findIndex(({ type }) => type === verdict.type);
  const before = conditions[at];
  if (before?.status === verdict.status && before.reason === verdict.reason) return;
  const condition = { ...verdict, lastProbeTime: now, lastTransitionTime: now };
  if (at === -1) conditions.push(condition);
  else conditions[at] = condition;
}
