import type { Pod, PodCondition } from "kubernetes-types/core/v1.js";
import { timestamp } from "./timestamp.ts";

export function conditionOf(
  { status }: { readonly status?: { readonly conditions?: readonly PodCondition[] } },
  type: string,
): PodCondition | undefined {
  return status?.conditions?.find((condition) => condition.type === type);
}

export function isPodReady(pod: Pod): boolean {
  return conditionOf(pod, "Ready")?.status === "True";
}

export function isPodFinished({ status }: Pod): boolean {
  return status?.phase === "Succeeded" || status?.phase === "Failed";
}

/** Neither finished nor on its way out. */
export function isPodActive(pod: Pod): boolean {
  return !isPodFinished(pod) && pod.metadata?.deletionTimestamp === undefined;
}

export function isPodTerminating(pod: Pod): boolean {
  return !isPodFinished(pod) && pod.metadata?.deletionTimestamp !== undefined;
}

/** When a ready pod has been ready long enough; undefined for one that is not ready. */
function availableAt(pod: Pod, minReadySeconds: number): number | undefined {
  const ready = conditionOf(pod, "Ready");
  if (ready?.status !== "True") return undefined;
  return minReadySeconds === 0 ? 0 : Date.parse(ready.lastTransitionTime ?? "") + minReadySeconds * 1000;
}

export function isPodAvailable(pod: Pod, minReadySeconds: number, now: number): boolean {
  const at = availableAt(pod, minReadySeconds);
  return at !== undefined && at <= now;
}

/** Milliseconds until the next of the pods has been ready long enough. */
export function untilNextAvailable(pods: readonly Pod[], minReadySeconds: number, now: number): number | undefined {
  let soonest: number | undefined;
  for (const pod of pods) {
    const at = availableAt(pod, minReadySeconds);
    if (at !== undefined && at > now && (soonest === undefined || at < soonest)) soonest = at;
  }
  return soonest === undefined ? undefined : soonest - now;
}

export interface Disruption {
  readonly reason: string;
  readonly message: string;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** The status of a pod that is about to go, with the reason on it. */
export function disruptedStatus({ status }: Pod, { reason, message, now }: Disruption): NonNullable<Pod["status"]> {
  const others = (status?.conditions ?? []).filter(({ type }) => type !== "DisruptionTarget");
  const times = { lastProbeTime: null, lastTransitionTime: timestamp(now) };
  const condition = { type: "DisruptionTarget", status: "True", reason, message, ...times } as unknown as PodCondition;
  return { ...status, conditions: [...others, condition] };
}
