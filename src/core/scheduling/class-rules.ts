import { portsConflict } from "../model/host-ports.ts";
import type { HostPort } from "../model/pod.ts";
import type { Ask } from "./ask.ts";
import { DomainCounts, type Place } from "./domain-counts.ts";
import type { HostRules } from "./packing/problem.ts";
import type { PodKind } from "./pod-kinds.ts";
import { counts, type RuleSource, type TopologyGroup, type TopologyGroups } from "./topology-groups.ts";

/** One demand of a pod about where pods of a group are, in domains larger than a host. */
export interface DomainRule {
  readonly kind: TopologyGroup["kind"];
  readonly counts: DomainCounts;
  readonly isMember: boolean;
  readonly isSoft: boolean;
  /** For affinity: the counts of everything that must be near the same pods, this one included. */
  readonly together: readonly DomainCounts[];
}

/** Everything a class has to do with other pods, at one stage of relaxation. */
export interface ClassRules {
  readonly demands: readonly DomainRule[];
  /** Groups that count the class, whether or not it has a demand of its own. */
  readonly memberOf: readonly DomainCounts[];
  /** Groups whose members the class keeps away. */
  readonly owns: readonly DomainCounts[];
  readonly host: HostRules | undefined;
  readonly hostNeeds: readonly HostNeed[];
}

/** A group of which a member must be on the same host, and whether the class is one itself. */
export interface HostNeed {
  readonly group: number;
  readonly isMember: boolean;
  readonly isSoft: boolean;
}

const nothing: Ask = {
  nodeSelector: new Map(),
  requiredNodeTerms: [],
  preferredNodeTerm: undefined,
  requiredPodAffinity: [],
  preferredPodAffinity: [],
  podAntiAffinity: [],
  topologySpread: [],
  spreadKeys: { required: [], preferred: [] },
  tolerations: [],
};

/** Turns the terms of pods into rules, with one count for each group. Host groups and host ports share one numbering. */
export class RuleBook {
  private readonly groups: TopologyGroups;
  private places: readonly Place[];
  private readonly domainCounts = new Map<TopologyGroup, DomainCounts>();
  private readonly hostNumbers = new Map<TopologyGroup, number>();
  private readonly ports = new Map<string, { readonly port: HostPort; readonly number: number }[]>();
  private readonly boundRules = new Map<PodKind, ClassRules | undefined>();
  private hostGroups = 0;

  constructor(groups: TopologyGroups, places: readonly Place[]) {
    this.groups = groups;
    this.places = places;
  }

  get hostGroupCount(): number {
    return this.hostGroups;
  }

  /** From now on only the domains of these places count. */
  limitTo(places: readonly Place[]): void {
    this.places = places;
    for (const counts of this.domainCounts.values()) counts.limitTo(places);
  }

  addPlace(place: Place): void {
    this.places = [...this.places, place];
    for (const counts of this.domainCounts.values()) counts.addPlace(place);
  }

  /** Every group that a pod's rules create must be known before memberships are asked for. */
  register(source: RuleSource, ask: Ask): void {
    this.affinityGroups(source, ask);
    for (const { term } of ask.podAntiAffinity) this.groups.forTerm("anti-affinity", term, source);
    for (const spread of ask.topologySpread) this.groups.forSpread(spread, source, ask);
  }

  registerPorts(ports: readonly HostPort[]): void {
    for (const port of ports) this.portNumber(port);
  }

  /** What a host is like where these ports are taken. */
  takenPorts(ports: readonly HostPort[]): Pick<HostRules, "memberOf" | "owns"> {
    return { memberOf: ports.map((port) => this.portNumber(port)), owns: [] };
  }

  rulesFor(source: RuleSource, ask: Ask, ports: readonly HostPort[]): ClassRules {
    const selecting = this.groups.selecting(source);
    const demands: DomainRule[] = [];
    const owns: DomainCounts[] = [];
    const hostNeeds: HostNeed[] = [];
    // Sets, because a pod may say the same thing twice and means it once.
    const caps = new Map<number, number>();
    const refuses = new Set<number>();
    const hostOwns = new Set<number>();
    const demand = (group: TopologyGroup, isSoft: boolean, together: readonly DomainCounts[] = []) => {
      const isMember = counts(group, source);
      demands.push({ kind: group.kind, counts: this.countsOf(group), isMember, isSoft, together });
    };
    for (const { groups, isSoft } of this.affinityGroups(source, ask)) {
      const together = groups.filter(({ isHost }) => !isHost).map((group) => this.countsOf(group));
      for (const group of groups) {
        if (group.isHost) hostNeeds.push({ group: this.hostNumber(group), isMember: counts(group, source), isSoft });
        else demand(group, isSoft, together);
      }
    }
    for (const { term, isRequired } of ask.podAntiAffinity) {
      const group = this.groups.forTerm("anti-affinity", term, source);
      if (group.isHost) {
        refuses.add(this.hostNumber(group));
        if (isRequired) hostOwns.add(this.hostNumber(group));
      } else {
        demand(group, !isRequired);
        if (isRequired) owns.push(this.countsOf(group));
      }
    }
    for (const spread of ask.topologySpread) {
      const group = this.groups.forSpread(spread, source, ask);
      if (group.isHost) {
        caps.set(this.hostNumber(group), spread.maxSkew);
        if (spread.isRequired) hostOwns.add(this.hostNumber(group));
      } else demand(group, !spread.isRequired);
    }
    const memberOf = new Set(selecting.filter((group) => group.isHost).map((group) => this.hostNumber(group)));
    for (const port of ports) {
      memberOf.add(this.portNumber(port));
      for (const other of this.portsLike(port)) if (portsConflict(port, other.port)) refuses.add(other.number);
    }
    const host: HostRules = {
      memberOf: [...memberOf],
      caps: Array.from(caps, ([group, most]) => ({ group, most })),
      refuses: [...refuses],
      owns: [...hostOwns],
      bounds: selecting
        .filter(({ isHost, kind }) => isHost && kind === "spread")
        .map((group) => ({ group: this.hostNumber(group), most: group.spread!.maxSkew })),
    };
    const isFree = memberOf.size + caps.size + refuses.size === 0;
    return {
      demands,
      memberOf: selecting.filter((group) => !group.isHost).map((group) => this.countsOf(group)),
      owns,
      host: isFree ? undefined : host,
      hostNeeds,
    };
  }

  /** What pods that already run count for: their memberships and what they keep away. Undefined if that is nothing. */
  rulesOfBound(kind: PodKind): ClassRules | undefined {
    const known = this.boundRules.get(kind);
    if (known !== undefined || this.boundRules.has(kind)) return known;
    const podAntiAffinity = kind.spec.podAntiAffinity.map((term) => ({ term, isRequired: true }));
    const rules = this.rulesFor(kind, { ...nothing, podAntiAffinity }, kind.spec.hostPorts);
    const isFree = rules.memberOf.length + rules.owns.length === 0 && rules.host === undefined;
    this.boundRules.set(kind, isFree ? undefined : rules);
    return isFree ? undefined : rules;
  }

  registerBound(kind: PodKind): void {
    for (const term of kind.spec.podAntiAffinity) this.groups.forTerm("anti-affinity", term, kind);
    this.registerPorts(kind.spec.hostPorts);
  }

  /** The groups that must have members nearby; those of required terms belong together. */
  private affinityGroups(source: RuleSource, ask: Ask): { groups: readonly TopologyGroup[]; isSoft: boolean }[] {
    return [
      { groups: this.groups.forRequiredAffinity(ask.requiredPodAffinity, source), isSoft: false },
      ...ask.preferredPodAffinity.map((term) => ({
        groups: [this.groups.forTerm("affinity", term, source)],
        isSoft: true,
      })),
    ];
  }

  private countsOf(group: TopologyGroup): DomainCounts {
    let known = this.domainCounts.get(group);
    if (!known) {
      known = new DomainCounts(group, this.places);
      this.domainCounts.set(group, known);
    }
    return known;
  }

  private hostNumber(group: TopologyGroup): number {
    let number = this.hostNumbers.get(group);
    if (number === undefined) {
      number = this.hostGroups++;
      this.hostNumbers.set(group, number);
    }
    return number;
  }

  private portNumber(port: HostPort): number {
    const alike = this.portsLike(port);
    const known = alike.find((other) => other.port.ip === port.ip);
    if (known) return known.number;
    const number = this.hostGroups++;
    alike.push({ port, number });
    return number;
  }

  private portsLike({ protocol, port }: HostPort): { port: HostPort; number: number }[] {
    const key = `${protocol}/${port}`;
    const known = this.ports.get(key) ?? [];
    this.ports.set(key, known);
    return known;
  }
}
