import { isRecord } from "./field.ts";
import { type Excess, findExcess } from "./wire-budget.ts";

export type WireKey =
  | { readonly key: string; readonly excess?: never }
  | { readonly key?: never; readonly excess: Excess };

/**
 * As text, everything of a pod on the wire that decides how its spec reads: pods of one deployment give the same text.
 * `allocations` are its container statuses.
 */
export function wireKey(spec: unknown, allocations: unknown, podName: string): WireKey {
  if (!isRecord(spec)) return { key: typeof spec };
  const volumes = mapList(spec.volumes, claimOf);
  const parts = [
    mapList(spec.containers, scheduledPartOf),
    mapList(spec.initContainers, scheduledPartOf),
    mapList(allocations, allocationOf),
    spec.resources,
    spec.overhead,
    spec.priority,
    spec.nodeSelector,
    spec.affinity,
    spec.topologySpreadConstraints,
    spec.tolerations,
    spec.hostNetwork,
    volumes,
    isRecord(spec.resourceClaims) || (Array.isArray(spec.resourceClaims) && spec.resourceClaims.length > 0),
    // The claims of ephemeral volumes are named after the pod.
    Array.isArray(volumes) && volumes.some((volume) => isRecord(volume) && volume.ephemeral !== undefined)
      ? podName
      : "",
  ];
  const excess = findExcess(parts);
  return excess === undefined ? { key: JSON.stringify(parts) } : { excess };
}

function scheduledPartOf(container: Readonly<Record<string, unknown>>): unknown {
  return [container.name, container.resources, container.ports, container.restartPolicy];
}

function allocationOf(status: Readonly<Record<string, unknown>>): unknown {
  return [status.name, status.allocatedResources];
}

/** Volumes that are no claims differ from pod to pod (the token's has a random name) and decide nothing. */
function claimOf(volume: Readonly<Record<string, unknown>>): unknown {
  const { name, persistentVolumeClaim, ephemeral } = volume;
  if (persistentVolumeClaim) return { persistentVolumeClaim };
  return ephemeral ? { name, ephemeral } : 0;
}

/** Leaves alone what is not as it should be: it makes a key of its own, and is complained of by whoever reads it. */
function mapList(list: unknown, map: (item: Readonly<Record<string, unknown>>) => unknown): unknown {
  return Array.isArray(list) ? list.map((item: unknown) => (isRecord(item) ? map(item) : item)) : list;
}
