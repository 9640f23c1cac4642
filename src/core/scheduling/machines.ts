import type { InstanceType } from "../model/instance-type.ts";
import type { Resources } from "../model/resources.ts";
import type { Row } from "./catalogue.ts";
import type { DaemonOverhead, Daemons } from "./daemons.ts";
import type { MachineGroup } from "./machine-groups.ts";
import { flexibleCapacity, type MinValues, minValuesOf, type SizedType, unmetMinValues } from "./min-values.ts";
import type { PlanSettings } from "./settings.ts";

/** A machine worth considering: no other of its group has at least as much for no more money. */
export interface Machine {
  /** Tells machines apart. */
  readonly index: number;
  readonly group: MachineGroup;
  readonly row: Row;
  /** What pods can have of it, in the order of the plan's resources. */
  readonly capacity: Float64Array;
  /** Dollars an hour, with what every node is thought to cost. */
  readonly price: number;
  /** Leaves the cloud too little choice, or less than the pool demands: only for pods that fit nothing else. */
  readonly isFallback: boolean;
  readonly overhead: DaemonOverhead;
}

type Candidate = Pick<Machine, "row" | "capacity" | "isFallback">;

/** Spot capacity comes and goes: a node should fit at least this many other instance types. */
const minSpotAlternatives = 15;

/** Dollars an hour, too few to matter except between plans of the same price: the one with fewer nodes is better. */
const fewerNodes = 1e-6;

export class Machines {
  private readonly resources: readonly string[];
  private readonly settings: PlanSettings;
  private readonly groups: readonly MachineGroup[];
  private readonly overheads: readonly DaemonOverhead[];
  private readonly capacities: readonly (readonly Float64Array[])[];
  /** What was worked out for some rows under some daemons holds for every way to settle their open labels. */
  private readonly candidatesByCapacities = new Map<readonly Float64Array[], readonly Candidate[]>();
  private peers: ReadonlyMap<string, readonly MachineGroup[]> | undefined;
  private readonly byGroup = new Map<MachineGroup, readonly Machine[]>();
  private made = 0;

  constructor(groups: readonly MachineGroup[], daemons: Daemons, resources: readonly string[], settings: PlanSettings) {
    this.resources = resources;
    this.settings = settings;
    this.groups = groups;
    this.overheads = groups.map(({ labels, openKeys, catalogue }) =>
      daemons.onNewNode(labels, catalogue.pool.taints, openKeys),
    );
    this.capacities = this.measureAll();
  }

  /** The machines of a group; made when first asked for, because most ways to settle open labels never are. */
  inGroup(group: MachineGroup): readonly Machine[] {
    let machines = this.byGroup.get(group);
    if (!machines) {
      const overhead = this.overheadOf(group);
      machines = this.neededIn(group).map((candidate) => ({
        ...candidate,
        index: this.made++,
        group,
        price: candidate.row.offering.price + this.settings.pricePerNode + fewerNodes,
        overhead,
      }));
      this.byGroup.set(group, machines);
    }
    return machines;
  }

  overheadOf(group: MachineGroup): DaemonOverhead {
    return this.overheads[group.index]!;
  }

  /** What each row of the group leaves for pods. */
  capacitiesOf(group: MachineGroup): readonly Float64Array[] {
    return this.capacities[group.index]!;
  }

  /** The minValues that keep every machine of these groups from serving requests that some of them would hold. */
  missingFlexibility(
    requests: Float64Array,
    groups: readonly MachineGroup[],
  ): { key: string; wanted: number; found: number } | undefined {
    const pool = groups[0]?.catalogue.pool;
    if (!pool) return undefined;
    const holding = groups
      .flatMap((group) => this.sizedTypes(group))
      .filter(({ capacity }) => covers(capacity, requests));
    return holding.length === 0
      ? undefined
      : unmetMinValues(minValuesOf(pool), new Set(holding.map(({ type }) => type)));
  }

  private measureAll(): Float64Array[][] {
    const known = new Map<readonly Row[], Map<string, Float64Array[]>>();
    return this.groups.map((group) => {
      const overhead = vectorOf(this.overheadOf(group).requests, this.resources);
      const ofRows = known.get(group.rows) ?? new Map<string, Float64Array[]>();
      known.set(group.rows, ofRows);
      const measured = ofRows.get(overhead.join()) ?? group.rows.map((row) => this.measure(row, overhead));
      ofRows.set(overhead.join(), measured);
      return measured;
    });
  }

  private measure(row: Row, overhead: Float64Array): Float64Array {
    const capacity = vectorOf(row.allocatable, this.resources);
    const { headroom = 0 } = this.settings;
    for (let index = 0; index < capacity.length; index++) {
      const isDivisible = this.resources[index] === "cpu" || this.resources[index] === "memory";
      capacity[index] = capacity[index]! * (isDivisible ? 1 - headroom : 1) - overhead[index]!;
    }
    return capacity;
  }

  private neededIn(group: MachineGroup): readonly Candidate[] {
    const capacities = this.capacitiesOf(group);
    let needed = this.candidatesByCapacities.get(capacities);
    if (!needed) {
      needed = this.neededCandidates(group);
      this.candidatesByCapacities.set(capacities, needed);
    }
    return needed;
  }

  /** The rows that no other beats, each with whether it leaves the cloud enough choice. */
  private neededCandidates(group: MachineGroup): Candidate[] {
    const demands = minValuesOf(group.catalogue.pool);
    const limited = [...group.catalogue.pool.limits.keys()];
    const kept: Candidate[] = [];
    /** Those kept, with the ones that beat many others in front. */
    const rivals: Candidate[] = [];
    for (const candidate of demands.length > 0 ? this.flexibleCandidates(group, demands) : this.candidates(group)) {
      const isReserved = candidate.row.offering.reservationId !== undefined;
      const winner = isReserved ? -1 : rivals.findIndex((other) => dominates(other, candidate, limited));
      if (winner < 0) {
        kept.push(candidate);
        rivals.push(candidate);
      } else rivals.unshift(...rivals.splice(winner, 1));
    }
    const alternatives = this.spotAlternatives(group);
    return kept.map((candidate) => {
      const isFragile = candidate.row.capacityType === "spot" && isFragileAmong(candidate.capacity, alternatives);
      return { ...candidate, isFallback: candidate.isFallback || isFragile };
    });
  }

  private candidates(group: MachineGroup): Candidate[] {
    const found: Candidate[] = [];
    this.capacitiesOf(group).forEach((capacity, index) => {
      if (capacity.some((amount) => amount < 0)) return;
      found.push({ row: group.rows[index]!, capacity, isFallback: false });
    });
    return found;
  }

  /** Where the pool demands flexibility, only so much of a machine may be used as enough other types have too. */
  private flexibleCandidates(group: MachineGroup, demands: MinValues): Candidate[] {
    const others = this.groups
      .filter(({ catalogue }) => catalogue === group.catalogue)
      .flatMap((other) => this.sizedTypes(other));
    const byType = new Map(others.map((sized) => [sized.type, sized]));
    return this.candidates(group).flatMap((candidate) => {
      const sized = { type: candidate.row.type, capacity: candidate.capacity };
      const rest = [...byType.values()].filter(({ type }) => type !== sized.type);
      const capacity = flexibleCapacity(sized, rest, demands);
      const versions: Candidate[] =
        capacity && !capacity.some((amount) => amount < 0) ? [{ ...candidate, capacity }] : [];
      if (this.settings.minValuesPolicy === "BestEffort") versions.push({ ...candidate, isFallback: true });
      return versions;
    });
  }

  private sizedTypes(group: MachineGroup): SizedType[] {
    const capacities = this.capacitiesOf(group);
    return group.rows.map(({ type }, index) => ({ type, capacity: capacities[index]! }));
  }

  /** A group of few types says nothing when somebody in the batch tells types apart: then its peers decide. */
  private spotAlternatives(group: MachineGroup): readonly SizedType[] {
    const types = new Set(group.rows.map(({ type }) => type));
    return types.size > minSpotAlternatives ? this.sizedTypes(group) : this.sizedPeers(group);
  }

  /** The types of all groups of the same pool whose labels differ only where the type decides them. */
  private sizedPeers(group: MachineGroup): readonly SizedType[] {
    this.peers ??= Map.groupBy(this.groups, peerName);
    return (this.peers.get(peerName(group)) ?? []).flatMap((other) => this.sizedTypes(other));
  }
}

function isFragileAmong(capacity: Float64Array, alternatives: readonly SizedType[]): boolean {
  const covering = new Set<InstanceType>();
  const all = new Set<InstanceType>();
  for (let index = alternatives.length - 1; index >= 0; index--) {
    const { type, capacity: other } = alternatives[index]!;
    all.add(type);
    if (covers(other, capacity)) covering.add(type);
    if (covering.size > minSpotAlternatives) return false;
  }
  return all.size > minSpotAlternatives;
}

function peerName({ catalogue, labels, rows }: MachineGroup): string {
  const decided = rows[0]?.type.requirements;
  const isOffered = (key: string) => rows[0]?.offering.requirements.has(key);
  const others = [...labels].filter(([key]) => !decided?.has(key) || isOffered(key));
  return JSON.stringify([catalogue.pool.name, ...others.sort()]);
}

export function vectorOf(amounts: Resources, resources: readonly string[]): Float64Array {
  const vector = new Float64Array(resources.length);
  for (let index = 0; index < resources.length; index++) vector[index] = amounts.get(resources[index]!) ?? 0;
  return vector;
}

function covers(larger: Float64Array, smaller: Float64Array): boolean {
  for (let index = 0; index < larger.length; index++) if (larger[index]! < smaller[index]!) return false;
  return true;
}

/** Whether there is no reason to ever take the second: the first costs no more, as rows come in the order of price. */
function dominates(first: Candidate, second: Candidate, limited: readonly string[]): boolean {
  if (first.row.offering.reservationId !== undefined || first.isFallback !== second.isFallback) return false;
  return covers(first.capacity, second.capacity) && takesNoMore(first.row, second.row, limited);
}

/** Where a pool has limits, a cheaper machine that eats more of them is no replacement. */
function takesNoMore(first: Row, second: Row, limited: readonly string[]): boolean {
  return limited.every(
    (resource) => (first.type.capacity.get(resource) ?? 0) <= (second.type.capacity.get(resource) ?? 0),
  );
}
