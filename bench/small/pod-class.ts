import { requestsOf } from "../catalogue.ts";
import { resourcesOfBounds } from "../demands.ts";
import { matchesSelector } from "../selector.ts";
import { hostLabel, type LabelSelector, type Pod, type PodSpec, preferred, required, zoneLabel } from "../wire.ts";

/** Pods of one workload, with its rules as an integer program can state them. Preferences are taken as rules. */
export interface PodClass {
  readonly spec: PodSpec;
  readonly count: number;
  /** What one pod asks for, by the index of `resourcesOfBounds`. */
  readonly size: readonly number[];
  /** A node may run so many of them. */
  readonly mostPerHost: number;
  readonly mostPerZone: number;
  /** No zone may have so many more of them than another. */
  readonly zoneSkew: number | undefined;
  readonly isInOneZone: boolean;
}

/** Undefined when a rule of some pod is about pods of other workloads. */
export function podClassesOf(pods: readonly Pod[]): readonly PodClass[] | undefined {
  const groups = Map.groupBy(pods, ({ metadata, spec }) => JSON.stringify([metadata.labels, spec]));
  const classes: PodClass[] = [];
  for (const members of groups.values()) {
    const podClass = podClassOf(members, pods);
    if (podClass === undefined) return undefined;
    classes.push(podClass);
  }
  return classes;
}

interface Rule {
  readonly labelSelector: LabelSelector;
  readonly topologyKey: string;
  readonly maxSkew?: number;
}

function podClassOf(members: readonly Pod[], pods: readonly Pod[]): PodClass | undefined {
  const spec: PodSpec = members[0]?.spec ?? { containers: [] };
  const anti = spec.affinity?.podAntiAffinity;
  const apart: readonly Rule[] = [
    ...(anti?.[required] ?? []),
    ...(anti?.[preferred] ?? []).map(({ podAffinityTerm }) => podAffinityTerm),
  ];
  const together: readonly Rule[] = spec.affinity?.podAffinity?.[required] ?? [];
  const spreads: readonly Rule[] = spec.topologySpreadConstraints ?? [];
  const isOwn = ({ labelSelector }: Rule): boolean =>
    pods.every((pod) => matchesSelector(labelSelector, pod.metadata.labels ?? {}) === members.includes(pod));
  if (![...apart, ...together, ...spreads].every(isOwn)) return undefined;
  const isOver = (key: string) => (rule: Rule) => rule.topologyKey === key;
  if (spec.affinity?.nodeAffinity !== undefined || together.some(isOver(hostLabel))) return undefined;
  const skew = (key: string): number =>
    Math.min(...spreads.filter(isOver(key)).map(({ maxSkew }) => maxSkew ?? 1), Number.POSITIVE_INFINITY);
  const requests = requestsOf(spec);
  return {
    spec,
    count: members.length,
    size: resourcesOfBounds.map(({ resource, unit }) => (requests.get(resource) ?? 0) / unit),
    // There can always be an empty host, so that the skew is how many there may be.
    mostPerHost: apart.length > 0 ? 1 : skew(hostLabel),
    mostPerZone: apart.some(isOver(zoneLabel)) ? 1 : Number.POSITIVE_INFINITY,
    zoneSkew: Number.isFinite(skew(zoneLabel)) ? skew(zoneLabel) : undefined,
    isInOneZone: together.some(isOver(zoneLabel)),
  };
}
