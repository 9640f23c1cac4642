import { matchesSelector, satisfies } from "./selector.ts";
import type { Violations } from "./violations.ts";
import {
  hostLabel,
  type LabelSelector,
  type Labels,
  nameOf,
  type Pod,
  preferred,
  required,
  zoneLabel,
} from "./wire.ts";

export interface Placement {
  /** The pending pods. */
  readonly pods: readonly Pod[];
  readonly sites: readonly Site[];
  readonly zones: readonly string[];
}

/** A node, whether planned or there already. */
export interface Site {
  readonly labels: Labels;
  /** Those that the plan puts there. */
  readonly pods: readonly Pod[];
  readonly boundPods: readonly Pod[];
}

export function checkTopology(placement: Placement, violations: Violations): void {
  const census = new Census(placement);
  // Pods that run already refuse new company too.
  for (const { pod, labels } of [...census.residents, ...census.bound]) {
    for (const { labelSelector, topologyKey } of pod.spec.affinity?.podAntiAffinity?.[required] ?? []) {
      const here = census.count(pod, { labelSelector, topologyKey }).in(labels[topologyKey]);
      if (here > (counts(labelSelector, pod) ? 1 : 0)) violations.add("anti-affinity", nameOf(pod));
    }
  }
  for (const { pod, labels } of census.residents) {
    const { affinity = {}, topologySpreadConstraints = [] } = pod.spec;
    for (const { labelSelector, topologyKey } of affinity.podAffinity?.[required] ?? []) {
      const count = census.count(pod, { labelSelector, topologyKey });
      const here = count.in(labels[topologyKey]);
      // The first of its kind may go anywhere, the others must follow it.
      const isKept = counts(labelSelector, pod) ? here > 1 || count.total === 1 : here > 0;
      if (!isKept) violations.add("affinity", nameOf(pod));
    }
    for (const { whenUnsatisfiable, labelSelector, topologyKey, maxSkew } of topologySpreadConstraints) {
      if (whenUnsatisfiable !== "DoNotSchedule" || !counts(labelSelector, pod)) continue;
      const count = census.count(pod, { labelSelector, topologyKey });
      // Among pods that are all held to the same skew, every order of placing them ends within it.
      if (count.isHeldToOneRule && count.skewIn(labels[topologyKey]) > maxSkew) violations.add("spread", nameOf(pod));
    }
  }
}

/** Preferences are no rules: the share of their weight that the plan honours, or null when there are none. */
export function sharePreferencesHonoured(placement: Placement): number | null {
  const census = new Census(placement);
  let wanted = 0;
  let honoured = 0;
  const note = (weight: number, isHonoured: boolean): void => {
    wanted += weight;
    if (isHonoured) honoured += weight;
  };
  for (const { pod, labels } of census.residents) {
    const { affinity = {}, topologySpreadConstraints = [] } = pod.spec;
    for (const { weight, preference } of affinity.nodeAffinity?.[preferred] ?? []) {
      note(
        weight,
        preference.matchExpressions.every((expression) => satisfies(expression, labels)),
      );
    }
    for (const { weight, podAffinityTerm } of affinity.podAntiAffinity?.[preferred] ?? []) {
      const { labelSelector, topologyKey } = podAffinityTerm;
      const here = census.count(pod, { labelSelector, topologyKey }).in(labels[topologyKey]);
      note(weight, here <= (counts(labelSelector, pod) ? 1 : 0));
    }
    for (const { whenUnsatisfiable, labelSelector, topologyKey, maxSkew } of topologySpreadConstraints) {
      if (whenUnsatisfiable !== "ScheduleAnyway") continue;
      note(1, census.count(pod, { labelSelector, topologyKey }).skewIn(labels[topologyKey]) <= maxSkew);
    }
  }
  return wanted === 0 ? null : Math.round((honoured / wanted) * 1e4) / 1e4;
}

function counts(selector: LabelSelector, { metadata }: Pod): boolean {
  return matchesSelector(selector, metadata.labels ?? {});
}

/** The pods that a selector selects, by the domain that they are in. */
class DomainCount {
  readonly total: number;
  /** Whether all of them, placed or not, have the same spread constraints. */
  readonly isHeldToOneRule: boolean;
  private readonly byDomain = new Map<string | undefined, number>();
  private readonly lowest: number;

  constructor(
    selected: readonly Pod[],
    domainOf: (pod: Pod) => string | undefined,
    zones: readonly string[] | undefined,
  ) {
    const placed = selected.filter((pod) => domainOf(pod) !== undefined);
    for (const pod of placed) this.byDomain.set(domainOf(pod), this.in(domainOf(pod)) + 1);
    this.total = placed.length;
    this.isHeldToOneRule =
      new Set(selected.map(({ spec }) => JSON.stringify(spec.topologySpreadConstraints))).size <= 1;
    // There can always be one more host, with nothing on it.
    this.lowest = zones === undefined ? 0 : Math.min(...zones.map((zone) => this.in(zone)));
  }

  in(domain: string | undefined): number {
    return this.byDomain.get(domain) ?? 0;
  }

  skewIn(domain: string | undefined): number {
    return this.in(domain) - this.lowest;
  }
}

interface Resident {
  readonly pod: Pod;
  readonly labels: Labels;
}

class Census {
  /** Those that the plan has placed. */
  readonly residents: readonly Resident[];
  readonly bound: readonly Resident[];
  private readonly pods: readonly Pod[];
  private readonly zones: readonly string[];
  private readonly labelsByPod: ReadonlyMap<Pod, Labels>;
  private readonly known = new Map<string, DomainCount>();

  constructor({ pods, sites, zones }: Placement) {
    this.zones = zones;
    this.residents = sites.flatMap(({ pods, labels }) => pods.map((pod) => ({ pod, labels })));
    this.bound = sites.flatMap(({ boundPods, labels }) => boundPods.map((pod) => ({ pod, labels })));
    this.pods = [...pods, ...this.bound.map(({ pod }) => pod)];
    this.labelsByPod = new Map([...this.residents, ...this.bound].map(({ pod, labels }) => [pod, labels]));
  }

  count(asker: Pod, term: { readonly labelSelector: LabelSelector; readonly topologyKey: string }): DomainCount {
    const { namespace } = asker.metadata;
    const key = JSON.stringify([namespace, term]);
    let count = this.known.get(key);
    if (count === undefined) {
      count = this.countAnew(namespace, term);
      this.known.set(key, count);
    }
    return count;
  }

  private countAnew(
    namespace: string,
    { labelSelector, topologyKey }: { readonly labelSelector: LabelSelector; readonly topologyKey: string },
  ): DomainCount {
    if (topologyKey !== zoneLabel && topologyKey !== hostLabel) {
      throw new Error(`Cannot check a rule over "${topologyKey}": nothing here knows its domains`);
    }
    const selected = this.pods.filter((pod) => pod.metadata.namespace === namespace && counts(labelSelector, pod));
    const domainOf = (pod: Pod) => this.labelsByPod.get(pod)?.[topologyKey];
    return new DomainCount(selected, domainOf, topologyKey === zoneLabel ? this.zones : undefined);
  }
}
