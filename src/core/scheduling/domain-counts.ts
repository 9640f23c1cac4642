import type { Labels } from "../model/labels.ts";
import { type Taint, untoleratedTaint } from "../model/taints.ts";
import { type Ask, acceptsDomain, acceptsLabelsStrictly } from "./ask.ts";
import type { TopologyGroup } from "./topology-groups.ts";

/** A place with labels and taints: an existing node, or machines that could be bought. */
export interface Place {
  readonly labels: Labels;
  readonly taints: readonly Taint[];
}

/** How many pods of a group are in each topology domain, and which domains there are. */
export class DomainCounts {
  readonly group: TopologyGroup;
  /** Pods that the group's selector matches. */
  readonly members = new Map<string, number>();
  /** Pods that own the rule, where it is one that keeps others away. */
  readonly owners = new Map<string, number>();
  /** Domains that count when the emptiest one is looked for. */
  private readonly eligible = new Set<string>();
  private knownFewest: number | undefined;

  constructor(group: TopologyGroup, places: Iterable<Place>) {
    this.group = group;
    this.limitTo(places);
  }

  /** From now on these places alone decide which domains count. */
  limitTo(places: Iterable<Place>): void {
    this.eligible.clear();
    this.knownFewest = undefined;
    for (const place of places) this.addPlace(place);
  }

  addPlace(place: Place): void {
    const domain = place.labels.get(this.group.key);
    if (domain === undefined || this.eligible.has(domain) || !this.passesFilter(place)) return;
    this.eligible.add(domain);
    this.knownFewest = undefined;
  }

  /** Whether pods at this place are counted at all. */
  passesFilter({ labels, taints }: Place): boolean {
    const { filter, spread, neededKeys } = this.group;
    if (!filter || !spread) return true;
    if (!neededKeys.every((key) => labels.has(key))) return false;
    if (spread.honorsNodeAffinity && !acceptsLabelsStrictly(filter, labels)) return false;
    return !spread.honorsNodeTaints || untoleratedTaint(filter.tolerations, taints.filter(keepsAway)) === undefined;
  }

  countMembers(place: Place, count: number): void {
    if (!this.passesFilter(place)) return;
    add(this.members, place.labels.get(this.group.key), count);
    this.knownFewest = undefined;
  }

  countOwners(place: Place, count: number): void {
    add(this.owners, place.labels.get(this.group.key), count);
  }

  membersIn(domain: string): number {
    return this.members.get(domain) ?? 0;
  }

  /** Whether one more pod in this domain keeps the counts within the allowed skew. */
  allowsSpread(domain: string | undefined, isMember: boolean): boolean {
    if (domain === undefined) return false;
    return this.membersIn(domain) + (isMember ? 1 : 0) - this.fewest() <= this.group.spread!.maxSkew;
  }

  /** Whether the pods in this domain are within the allowed skew as they are. */
  isWithinSkew(domain: string): boolean {
    return this.membersIn(domain) - this.fewest() <= this.group.spread!.maxSkew;
  }

  /** Whether no member is anywhere else that a pod would accept. */
  isOnlyDomain(domain: string, ask: Ask): boolean {
    for (const [other, count] of this.members) {
      if (other !== domain && count > 0 && acceptsDomain(ask, this.group.key, other)) return false;
    }
    return true;
  }

  /** Whether no member is anywhere that a pod would accept. */
  isEmptyFor(ask: Ask): boolean {
    for (const [domain, count] of this.members) {
      if (count > 0 && acceptsDomain(ask, this.group.key, domain)) return false;
    }
    return true;
  }

  /** Whether a pod that must not be near members may come here. */
  allowsAntiAffinity(domain: string | undefined): boolean {
    return domain === undefined || this.membersIn(domain) === 0;
  }

  /** Whether a member may come here without disturbing a pod that keeps members away. */
  toleratesMember(domain: string | undefined): boolean {
    return domain === undefined || (this.owners.get(domain) ?? 0) === 0;
  }

  /** How many members the emptiest domain has. */
  private fewest(): number {
    this.knownFewest ??= this.countFewest();
    return this.knownFewest;
  }

  private countFewest(): number {
    const { minDomains } = this.group.spread!;
    if (minDomains !== undefined && this.eligible.size < minDomains) return 0;
    let fewest = Number.POSITIVE_INFINITY;
    for (const domain of this.eligible) fewest = Math.min(fewest, this.membersIn(domain));
    return Number.isFinite(fewest) ? fewest : 0;
  }
}

/** A taint that only asks to be avoided takes no domain out of the count. */
function keepsAway({ effect }: Taint): boolean {
  return effect !== "PreferNoSchedule";
}

function add(counts: Map<string, number>, domain: string | undefined, count: number): void {
  if (domain !== undefined) counts.set(domain, (counts.get(domain) ?? 0) + count);
}
