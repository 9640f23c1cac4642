import { requestsOf } from "./catalogue.ts";
import { matchesSelector } from "./selector.ts";
import { hostLabel, type Labels, type Pod, required } from "./wire.ts";

/** Pods that the bounds cannot tell apart. */
export interface Demand {
  readonly name: string;
  readonly nodeSelector: Labels;
  /** What one pod asks for, by the index of `resourcesOfBounds`. */
  readonly size: readonly number[];
  /** Groups of pods of which a machine may run only one, and to which all of these belong. */
  readonly groups: readonly string[];
  readonly count: number;
}

/** The resources that the bounds look at, with units that keep the numbers of the program near each other. */
export const resourcesOfBounds = [
  { resource: "cpu", unit: 1000 },
  { resource: "memory", unit: 2 ** 30 },
  { resource: "pods", unit: 1 },
] as const;

export function demandsOf(pods: readonly Pod[]): Demand[] {
  const demands = new Map<string, Demand & { count: number }>();
  for (const pod of pods) {
    const requests = requestsOf(pod.spec);
    const size = resourcesOfBounds.map(({ resource, unit }) => (requests.get(resource) ?? 0) / unit);
    const { nodeSelector = {} } = pod.spec;
    const groups = hostGroupsOf(pod);
    const name = JSON.stringify({ nodeSelector, size, groups });
    const known = demands.get(name);
    if (known === undefined) demands.set(name, { name, nodeSelector, size, groups, count: 1 });
    else known.count++;
  }
  return [...demands.values()];
}

/** By their selectors: pods that refuse the host of whatever the selector selects, and are selected themselves. */
function hostGroupsOf({ metadata, spec }: Pod): string[] {
  const spreads = (spec.topologySpreadConstraints ?? []).filter(
    // There can always be an empty host, so a skew of 1 means one to a host.
    ({ whenUnsatisfiable, maxSkew }) => whenUnsatisfiable === "DoNotSchedule" && maxSkew === 1,
  );
  return [...(spec.affinity?.podAntiAffinity?.[required] ?? []), ...spreads]
    .filter(({ topologyKey }) => topologyKey === hostLabel)
    .filter(({ labelSelector }) => matchesSelector(labelSelector, metadata.labels ?? {}))
    .map(({ labelSelector }) => JSON.stringify(labelSelector))
    .sort();
}
