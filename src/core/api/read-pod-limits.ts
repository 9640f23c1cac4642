import { type ContainerResources, effectiveLimits } from "../model/effective-requests.ts";
import { type Resources, toResources } from "../model/resources.ts";
import type { Field } from "./field.ts";
import { readQuantities } from "./read-resources.ts";

/** What every container must have a limit of where a quota counts it. */
const required: ReadonlySet<string> = new Set(["cpu", "memory"]);

/** The limits of a pod as quotas count them, see `Pod.limits`. */
export function readPodLimits(spec: Field): Resources {
  const containers = readLimits(spec.at("containers"));
  const initContainers = readLimits(spec.at("initContainers"));
  const limits = effectiveLimits({
    containers,
    initContainers,
    overhead: readQuantities(spec.at("overhead")),
    podLevel: readQuantities(spec.at("resources").at("limits")),
  });
  const isCounted = (name: string): boolean =>
    required.has(name)
      ? [...containers, ...initContainers].every(({ requests }) => requests.has(name))
      : name === "ephemeral-storage";
  return toResources(new Map([...limits].filter(([name]) => isCounted(name))));
}

function readLimits(containers: Field): readonly ContainerResources[] {
  return containers.items().map((container) => ({
    requests: readQuantities(container.at("resources").at("limits")),
    isRestartable: container.at("restartPolicy").text() === "Always",
  }));
}
