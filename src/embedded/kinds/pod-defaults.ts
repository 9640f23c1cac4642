import type { Container, Pod, ResourceRequirements } from "kubernetes-types/core/v1.js";
import type { Draft } from "../kube-object.ts";
import { setPodSpecDefaults } from "./pod-spec-defaults.ts";
import { roundResources } from "./resource-list.ts";

/** What a pod gets beyond what a template of pods gets. */
export function setPodDefaults(draft: Draft): void {
  const pod = draft as unknown as Pod;
  pod.spec ??= { containers: [] };
  setPodSpecDefaults(pod.spec);
  setConditionDefaults(draft);
  const containers = [...(pod.spec.containers ?? []), ...(pod.spec.initContainers ?? [])];
  for (const { resources } of containers) {
    if (resources?.limits !== undefined) resources.requests = { ...resources.limits, ...resources.requests };
  }
  setPodLevelRequests(pod.spec as { resources?: ResourceRequirements });
  pod.spec.enableServiceLinks ??= true;
  if ((pod.spec.terminationGracePeriodSeconds ?? 0) < 0) pod.spec.terminationGracePeriodSeconds = 1;
  if (pod.spec.hostNetwork) for (const container of containers) setHostPorts(container);
}

function setHostPorts(container: Container): void {
  for (const port of container.ports ?? []) port.hostPort ||= port.containerPort;
}

function setPodLevelRequests({ resources }: { resources?: ResourceRequirements }): void {
  if (resources === undefined) return;
  roundResources(resources.limits);
  roundResources(resources.requests);
  if (Object.keys(resources.limits ?? {}).length > 0)
    resources.requests = { ...resources.limits, ...resources.requests };
}

/** Times that nobody set are on the wire as null. */
function setConditionDefaults({ status }: Draft): void {
  const { conditions } = (status ?? {}) as {
    conditions?: { lastProbeTime?: string | null; lastTransitionTime?: string | null }[];
  };
  for (const condition of conditions ?? []) {
    condition.lastProbeTime ??= null;
    condition.lastTransitionTime ??= null;
  }
}
