import type { Pod } from "kubernetes-types/core/v1.js";
import { timestamp } from "../timestamp.ts";
import { isPodFinished } from "./pod-state.ts";
import type { Resource, Stored } from "./resource.ts";

export interface Disruption {
  readonly reason: string;
  readonly message: string;
  readonly now: number;
  /** Nobody is left who could end the pod: it has failed, and goes at once. */
  readonly isForced?: boolean;
}

/** Deletes a pod and leaves on it why. */
export function deleteDisrupted(pods: Resource<Pod>, pod: Stored<Pod>, disruption: Disruption): void {
  const { reason, message, now, isForced = false } = disruption;
  const others = (pod.status?.conditions ?? []).filter(({ type }) => type !== "DisruptionTarget");
  const condition = {
    type: "DisruptionTarget",
    status: "True",
    reason,
    message,
    lastProbeTime: null,
    lastTransitionTime: timestamp(now),
  };
  const phase = isForced && !isPodFinished(pod) ? { phase: "Failed" } : {};
  const marked = pods.writeStatus(pod, { ...pod.status, ...phase, conditions: [...others, condition] });
  pods.delete(marked, isForced ? { gracePeriodSeconds: 0 } : {});
}
