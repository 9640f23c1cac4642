import type { Pod } from "kubernetes-types/core/v1.js";
import { type Disruption, disruptedStatus, isPodFinished } from "../pod-state.ts";
import type { Resource, Stored } from "./resource.ts";

/** Deletes a pod and leaves on it why. Forced where nobody is left who could end it: it has failed, and goes at once. */
export function deleteDisrupted(
  pods: Resource<Pod>,
  pod: Stored<Pod>,
  { isForced = false, ...disruption }: Disruption & { readonly isForced?: boolean },
): void {
  const phase = isForced && !isPodFinished(pod) ? { phase: "Failed" } : {};
  const marked = pods.writeStatus(pod, { ...disruptedStatus(pod, disruption), ...phase });
  pods.delete(marked, isForced ? { gracePeriodSeconds: 0 } : {});
}
