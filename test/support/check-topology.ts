import { hostnameLabel, type Labels } from "../../src/core/model/labels.ts";
import type { Pod, PodSpec, PodTerm, TopologySpread } from "../../src/core/model/pod.ts";
import { has, requirementFor } from "../../src/core/model/requirements.ts";
import { type Selector, selects } from "../../src/core/model/selector.ts";
import type { Snapshot } from "../../src/core/model/snapshot.ts";
import type { Taint } from "../../src/core/model/taints.ts";
import { acceptsNodeLabels, acceptsTaints } from "./check-host.ts";

/** A host and who would be on it. */
export interface Site {
  readonly labels: Labels;
  readonly taints: readonly Taint[];
  readonly bound: readonly Pod[];
  readonly planned: readonly Pod[];
}

type Place = Omit<Site, "bound" | "planned">;

export interface Surroundings {
  readonly sites: readonly Site[];
  /** Every place where a pod could be: the sites, and whatever could be launched. */
  readonly placesFor: (spec: PodSpec, topologyKey: string) => readonly Place[];
  readonly snapshot: Snapshot;
}

interface Placed {
  readonly pod: Pod;
  readonly site: Site;
}

/**
 * Whether pods could be put where they are planned one after the other, each finding every rule about its company kept
 * when it comes. Which pod comes first can matter, so several orders are tried.
 */
export function checkTopology(surroundings: Surroundings): string[] {
  const { sites } = surroundings;
  const planned = sites.flatMap((site) => site.planned.map((pod) => ({ pod, site })));
  let fewest: string[] | undefined;
  for (const order of ordersOf(planned)) {
    for (const pick of [pickFollower, pickFirst]) {
      const stuck = settle(order, pick, new Company(surroundings));
      if (stuck.length === 0) return [];
      if (fewest === undefined || stuck.length < fewest.length) fewest = stuck;
    }
  }
  return fewest ?? [];
}

/** Pods of one kind one after the other, kinds in any order; then some ways to take turns. */
function* ordersOf(planned: readonly Placed[]): Iterable<readonly Placed[]> {
  for (const kinds of permutations([...Map.groupBy(planned, ({ pod }) => pod.spec).values()])) yield kinds.flat();
  yield planned.toReversed();
  for (let step = 2; step < Math.min(12, planned.length); step++) {
    yield planned.toSorted((a, b) => (planned.indexOf(a) % step) - (planned.indexOf(b) % step));
  }
}

/** At most some hundred of them, the given order first. */
function* permutations<T>(items: readonly T[], most = 5): Iterable<readonly T[]> {
  if (items.length <= 1 || most === 0) yield items;
  else {
    for (const [index, first] of items.entries()) {
      for (const rest of permutations(items.toSpliced(index, 1), most - 1)) yield [first, ...rest];
    }
  }
}

type Pick = (waiting: readonly Placed[], company: Company) => Placed | undefined;

/** Settles whoever can be settled, and says of the others why they cannot. */
function settle(order: readonly Placed[], pick: Pick, company: Company): string[] {
  let waiting = order;
  while (waiting.length > 0) {
    const next = pick(waiting, company);
    if (next === undefined) return waiting.map((one) => `${one.pod.name}: ${company.objections(one, true)[0]}`);
    company.settled.push(next);
    waiting = waiting.filter((one) => one !== next);
  }
  return [];
}

/** A pod that finds the company it needs comes before one that has to start it, and an empty domain before a full one. */
function pickFollower(waiting: readonly Placed[], company: Company): Placed | undefined {
  for (const mayStart of [false, true]) {
    const possible = waiting.filter((one) => company.objections(one, mayStart).length === 0);
    if (possible.length > 0) return possible.toSorted((a, b) => company.crowd(a) - company.crowd(b))[0];
  }
  return undefined;
}

function pickFirst(waiting: readonly Placed[], company: Company): Placed | undefined {
  return waiting.find((one) => company.objections(one, true).length === 0);
}

export class Company {
  readonly settled: Placed[] = [];
  private readonly bound: readonly Placed[];
  private readonly surroundings: Surroundings;

  constructor(surroundings: Surroundings) {
    this.surroundings = surroundings;
    this.bound = surroundings.sites.flatMap((site) => site.bound.map((pod) => ({ pod, site })));
  }

  /** Why the pod may not come now. A pod that may start a company needs nobody who is like itself. */
  objections(one: Placed, mayStart: boolean): string[] {
    return [
      ...this.affinityObjections(one, mayStart),
      ...this.antiAffinityObjections(one),
      ...one.pod.spec.topologySpread
        .filter(({ isRequired }) => isRequired)
        .flatMap((rule) => this.spreadObjections(one, rule)),
    ];
  }

  /** How many pods are in the domains over which the pod wants to be spread. */
  crowd(one: Placed): number {
    let crowd = 0;
    for (const rule of one.pod.spec.topologySpread) crowd += this.matchesIn(one, rule, domainOf(one, rule.topologyKey));
    return crowd;
  }

  /** Only pods that all required terms are about are company for any of them. */
  private affinityObjections(one: Placed, mayStart: boolean): string[] {
    const { podAffinity } = one.pod.spec;
    const isCompany = (pod: Pod) => podAffinity.every((term) => this.isMeant(term, one.pod, pod));
    const company = [...this.bound, ...this.settled].filter(({ pod }) => isCompany(pod));
    const keys = podAffinity.map(({ topologyKey }) => topologyKey);
    const lacking = keys.find((key) => domainOf(one, key) === undefined);
    if (lacking !== undefined) return [`must be near others by ${lacking}, which its node lacks`];
    const isNear = (other: Placed, key: string) => domainOf(other, key) === domainOf(one, key);
    const lonely = keys.find((key) => !company.some((other) => isNear(other, key)));
    if (lonely === undefined) return [];
    const couldJoin = ({ pod, site }: Placed) =>
      !pod.isDeleting && keys.some((key) => couldFollow(one.pod.spec, key, site.labels.get(key)));
    const isFirst = mayStart && isCompany(one.pod) && !company.some(couldJoin);
    return isFirst ? [] : [`nobody of its affinity is in ${lonely}=${domainOf(one, lonely)}`];
  }

  private antiAffinityObjections(one: Placed): string[] {
    const found: string[] = [];
    for (const other of [...this.bound.filter(({ pod }) => !pod.isDeleting), ...this.settled]) {
      const refuses = (owner: Placed, guest: Placed) =>
        owner.pod.spec.podAntiAffinity.some(
          (term) =>
            this.isMeant(term, owner.pod, guest.pod) &&
            domainOf(one, term.topologyKey) !== undefined &&
            domainOf(one, term.topologyKey) === domainOf(other, term.topologyKey),
        );
      if (refuses(one, other)) found.push(`keeps away from ${other.pod.name}`);
      if (refuses(other, one)) found.push(`is kept away by ${other.pod.name}`);
    }
    return found;
  }

  private spreadObjections(one: Placed, rule: TopologySpread): string[] {
    const { topologyKey, maxSkew, minDomains } = rule;
    const domain = domainOf(one, topologyKey);
    if (domain === undefined) return [`is spread by ${topologyKey}, which its node lacks`];
    const own = selects(narrowed(rule, one.pod), one.pod.labels) ? 1 : 0;
    const here = this.matchesIn(one, rule, domain) + own;
    // There can always be a new host without a pod on it.
    const domains = topologyKey === hostnameLabel ? [] : this.domainsOf(one, rule);
    const isShort = domains.length === 0 || domains.length < (minDomains ?? 0);
    const fewest = isShort ? 0 : Math.min(...domains.map((each) => this.matchesIn(one, rule, each)));
    if (here - fewest <= maxSkew) return [];
    return [`${here} in ${topologyKey}=${domain} and ${fewest} elsewhere, more than ${maxSkew} apart`];
  }

  private domainsOf(one: Placed, rule: TopologySpread): string[] {
    const { sites, placesFor } = this.surroundings;
    const places = [...sites, ...placesFor(one.pod.spec, rule.topologyKey)];
    const domains = places
      .filter((place) => isCounted(place, one.pod, rule))
      .map(({ labels }) => labels.get(rule.topologyKey));
    return [...new Set(domains.filter((domain) => domain !== undefined))];
  }

  private matchesIn(one: Placed, rule: TopologySpread, domain: string | undefined): number {
    const selector = narrowed(rule, one.pod);
    // A selector that asks for nothing counts nobody.
    if (selector?.expressions.length === 0) return 0;
    return [...this.bound, ...this.settled].filter(
      (other) =>
        other.pod.namespace === one.pod.namespace &&
        !other.pod.isDeleting &&
        domainOf(other, rule.topologyKey) === domain &&
        selects(selector, other.pod.labels) &&
        isCounted(other.site, one.pod, rule),
    ).length;
  }

  /** Whether a term of one pod is about another. */
  private isMeant(term: PodTerm, owner: Pod, other: Pod): boolean {
    return this.isInNamespaces(term, owner, other.namespace) && selects(narrowed(term, owner), other.labels);
  }

  private isInNamespaces({ namespaces, namespaceSelector }: PodTerm, owner: Pod, namespace: string): boolean {
    if (namespaces.includes(namespace)) return true;
    if (namespaceSelector === undefined) return namespaces.length === 0 && owner.namespace === namespace;
    if (namespaceSelector.expressions.length === 0) return true;
    const labels = this.surroundings.snapshot.namespaces.get(namespace);
    return labels !== undefined && selects(namespaceSelector, labels);
  }
}

function domainOf({ site }: Placed, topologyKey: string): string | undefined {
  return site.labels.get(topologyKey);
}

/** Whether what a pod says of one label lets it go where others are; what it says of other labels does not matter. */
function couldFollow({ nodeSelector, requiredNodeTerms }: PodSpec, key: string, domain: string | undefined): boolean {
  if (domain === undefined) return false;
  if ((nodeSelector.get(key) ?? domain) !== domain) return false;
  return requiredNodeTerms.length === 0 || requiredNodeTerms.some((term) => has(requirementFor(term, key), domain));
}

function isCounted({ labels, taints }: Place, { spec }: Pod, rule: TopologySpread): boolean {
  // Every host has a name, whether or not it exists already.
  const keys = spec.topologySpread.filter(({ isRequired }) => isRequired === rule.isRequired);
  if (!keys.every(({ topologyKey }) => topologyKey === hostnameLabel || labels.has(topologyKey))) return false;
  if (rule.honorsNodeAffinity && !acceptsNodeLabels(spec, labels)) return false;
  return !rule.honorsNodeTaints || acceptsTaints(spec, taints);
}

/** The selector with what matchLabelKeys and mismatchLabelKeys add to it. */
function narrowed(rule: PodTerm | TopologySpread, { labels }: Pod): Selector | undefined {
  if (rule.selector === undefined) return undefined;
  const mismatches = "mismatchLabelKeys" in rule ? rule.mismatchLabelKeys : [];
  const added = [
    ...rule.matchLabelKeys.map((key) => ({ key, operator: "In" as const, value: labels.get(key) })),
    ...mismatches.map((key) => ({ key, operator: "NotIn" as const, value: labels.get(key) })),
  ];
  const expressions = added.flatMap(({ key, operator, value }) =>
    value === undefined ? [] : [{ key, operator, values: [value] }],
  );
  return { expressions: [...rule.selector.expressions, ...expressions] };
}
