import type { Resources } from "../model/resources.ts";
import { type DaemonOverhead, Daemons } from "./daemons.ts";
import type { Row } from "./catalogue.ts";
import type { MachineGroup } from "./machine-groups.ts";
import type { PlanSettings } from "./settings.ts";

/** A machine worth considering: no other of its group has at least as much for no more money. */
export interface Machine {
  readonly index: number;
  readonly group: MachineGroup;
  readonly row: Row;
  /** What pods can have of it, in the order of the plan's resources. */
  readonly capacity: Float64Array;
  /** Dollars an hour, with what every node is thought to cost. */
  readonly price: number;
  /** Leaves the cloud too little choice, or less than the pool demands: only for pods that fit nothing else. */
  readonly isFallback: boolean;
  /** Buying it lowers a minValues of the pool. */
  readonly relaxesMinValues: boolean;
  readonly overhead: DaemonOverhead;
}

/** Spot capacity comes and goes: a node should fit at least this many other instance types. */
const minSpotAlternatives = 15;

export class Machines {
  readonly machines: Machine[] = [];
  readonly resources: readonly string[];
  private readonly settings: PlanSettings;
  private readonly overheads: DaemonOverhead[];
  private readonly capacities: readonly (readonly Float64Array[])[];

  constructor(groups: readonly MachineGroup[], daemons: Daemons, resources: readonly string[], settings: PlanSettings) {
    this.resources = resources;
    this.settings = settings;
    this.overheads = groups.map(({ labels, catalogue }) => daemons.onNewNode(labels, catalogue.pool.taints));
    this.capacities = groups.map((group) => {
      const overhead = vectorOf(this.overheads[group.index]!.requests, resources);
      return group.rows.map((row) => {
        const capacity = new Float64Array(resources.length);
        for (let index = 0; index < resources.length; index++) capacity[index] = (row.allocatable.get(resources[index]!) ?? 0) - overhead[index]!;
        return capacity;
      });
    });
    for (const group of groups) this.addGroup(group);
  }

  overheadOf(group: MachineGroup): DaemonOverhead {
    return this.overheads[group.index]!;
  }

  /** What each row of the group leaves for pods. */
  capacitiesOf(group: MachineGroup): readonly Float64Array[] {
    return this.capacities[group.index]!;
  }

  private addGroup(group: MachineGroup): void {
    const { rows } = group;
    if (rows.length === 0) return;
    const capacities = this.capacitiesOf(group);
    const limited = [...group.catalogue.pool.limits.keys()];
    const kept: number[] = [];
    rows.forEach((row, index) => {
      const capacity = capacities[index]!;
      if (capacity.some((amount) => amount < 0)) return;
      const isNeeded =
        row.offering.reservationId !== undefined ||
        !kept.some((other) => rows[other]!.offering.reservationId === undefined && covers(capacities[other]!, capacity) && takesNoMore(rows[other]!, row, limited));
      if (isNeeded) kept.push(index);
    });
    for (const index of kept) this.addMachine(group, rows[index]!, capacities, index);
  }

  private addMachine(group: MachineGroup, row: Row, capacities: readonly Float64Array[], at: number): void {
    const capacity = capacities[at]!;
    const price = row.offering.price + this.settings.pricePerNode;
    const machine = { group, row, price, overhead: this.overheads[group.index]! };
    const isFragile = row.capacityType === "spot" && this.isFragile(group, capacities, capacity);
    this.machines.push({ ...machine, index: this.machines.length, capacity, isFallback: isFragile, relaxesMinValues: false });
  }

  private isFragile(group: MachineGroup, capacities: readonly Float64Array[], capacity: Float64Array): boolean {
    const types = new Set<string>();
    for (const { type } of group.rows) types.add(type.name);
    if (types.size <= minSpotAlternatives) return false;
    const covering = new Set<string>();
    for (let index = capacities.length - 1; index >= 0; index--) {
      if (!covers(capacities[index]!, capacity)) continue;
      covering.add(group.rows[index]!.type.name);
      if (covering.size > minSpotAlternatives) return false;
    }
    return true;
  }
}

export function vectorOf(amounts: Resources, resources: readonly string[]): Float64Array {
  return Float64Array.from(resources, (resource) => amounts.get(resource) ?? 0);
}

export function covers(larger: Float64Array, smaller: Float64Array): boolean {
  for (let index = 0; index < larger.length; index++) if (larger[index]! < smaller[index]!) return false;
  return true;
}

/** Where a pool has limits, a cheaper machine that eats more of them is no replacement. */
function takesNoMore(other: Row, row: Row, limited: readonly string[]): boolean {
  return limited.every((resource) => (other.type.capacity.get(resource) ?? 0) <= (row.type.capacity.get(resource) ?? 0));
}
