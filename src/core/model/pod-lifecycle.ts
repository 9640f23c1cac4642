import { nodePoolLabel } from "./labels.ts";
import type { Owner, Pod } from "./pod.ts";
import { operatorOf, type Requirement } from "./requirements.ts";

/** Its containers have ended for good, so it holds no place on a node. */
export function isFinished({ phase }: Pod): boolean {
  return phase === "Succeeded" || phase === "Failed";
}

export function isActive(pod: Pod): boolean {
  return !isFinished(pod) && !pod.isDeleting;
}

/** Its DaemonSet decides where it runs. */
export function isDaemonPod({ owners }: Pod): boolean {
  return owners.some(isDaemonSet);
}

export function isDaemonSet({ apiVersion, kind }: Owner): boolean {
  return apiVersion === "apps/v1" && kind === "DaemonSet";
}

/** A static pod, which the API server only mirrors: it lives and dies with its node. */
export function isMirrorPod({ owners }: Pod): boolean {
  return owners.some(({ apiVersion, kind }) => apiVersion === "v1" && kind === "Node");
}

/** kube-scheduler has found no place for it, and no node that exists is being made ready for it. */
export function isProvisionable(pod: Pod, nodeExists: (name: string) => boolean): boolean {
  return (
    pod.scheduledReason === "Unschedulable" &&
    !pod.isGated &&
    pod.nodeName === "" &&
    !nodeExists(pod.nominatedNodeName) &&
    isActive(pod) &&
    !isDaemonPod(pod) &&
    !isMirrorPod(pod) &&
    !refusesEveryPool(pod)
  );
}

/** It asks for nodes that belong to no pool, as components do that must not run on what Karpenter launches. */
function refusesEveryPool({ spec }: Pod): boolean {
  const terms = spec.requiredNodeTerms;
  return terms.length > 0 && terms.every((term) => isAbsence(term.get(nodePoolLabel)));
}

function isAbsence(requirement: Requirement | undefined): boolean {
  return requirement !== undefined && operatorOf(requirement) === "DoesNotExist";
}

/**
 * When its node goes, something like it will want a place elsewhere. A deleting pod of a StatefulSet counts, because
 * its successor waits for it and then needs the same.
 */
export function isReschedulable(pod: Pod): boolean {
  if (isDaemonPod(pod) || isMirrorPod(pod) || isFinished(pod)) return false;
  return (
    !pod.isDeleting || pod.owners.some(({ apiVersion, kind }) => apiVersion === "apps/v1" && kind === "StatefulSet")
  );
}
