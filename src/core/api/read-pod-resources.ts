import { type ContainerResources, effectiveRequests, requestsOrLimits } from "../model/effective-requests.ts";
import { type ResourceQuantities, type Resources, toResources } from "../model/resources.ts";
import type { Field } from "./field.ts";
import { readQuantities } from "./read-resources.ts";

/** What the pod takes from a node. The statuses say what a resize in place has left it with for now. */
export function readPodRequests(spec: Field, containerStatuses: Field): Resources {
  const allocations = readAllocations(containerStatuses);
  const items = spec.at("containers").items();
  if (items.length === 0) spec.at("containers").note("must have at least one container");
  const containers = items.map((item) => readContainer(item, allocations));
  const initContainers = spec
    .at("initContainers")
    .items()
    .map((item) => readContainer(item, allocations));
  const podLevel = readPodLevel(spec.at("resources"), [...containers, ...initContainers]);
  return toResources(
    effectiveRequests({ containers, initContainers, overhead: readQuantities(spec.at("overhead")), podLevel }),
  );
}

function readContainer(container: Field, allocations: ReadonlyMap<string, ResourceQuantities>): ContainerResources {
  const resources = container.at("resources");
  return {
    requests: requestsOrLimits(readQuantities(resources.at("requests")), readQuantities(resources.at("limits"))),
    isRestartable: container.at("restartPolicy").text() === "Always",
    allocated: allocations.get(container.at("name").text() ?? ""),
  };
}

function readAllocations(statuses: Field): ReadonlyMap<string, ResourceQuantities> {
  const allocations = new Map<string, ResourceQuantities>();
  for (const status of statuses.items()) {
    const allocated = status.at("allocatedResources");
    if (!allocated.isAbsent) allocations.set(status.at("name").text() ?? "", readQuantities(allocated));
  }
  return allocations;
}

/** The pod's own limit stands in for a request that neither it nor any container makes. */
function readPodLevel(resources: Field, containers: readonly ContainerResources[]): ResourceQuantities | undefined {
  if (resources.isAbsent) return undefined;
  const limits = new Map(readQuantities(resources.at("limits")));
  for (const { requests } of containers) for (const name of requests.keys()) limits.delete(name);
  return requestsOrLimits(readQuantities(resources.at("requests")), limits);
}
