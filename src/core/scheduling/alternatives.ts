import { capacityTypeLabel, nodePoolLabel, zoneLabel } from "../model/labels.ts";
import { intersection, makeRequirement, type Requirement, type Requirements } from "../model/requirements.ts";
import { type BudgetBook, usedByMachine } from "./budgets.ts";
import type { Row } from "./catalogue.ts";
import { type MachineGroup, valuesOf } from "./machine-groups.ts";
import type { Machine } from "./machines.ts";
import type { OpenNode } from "./open-nodes.ts";
import type { World } from "./world.ts";

/** What else could be launched in the place of a planned node. */
export interface Alternatives {
  /** Instance types, the cheapest first, the planned one among them. */
  readonly instanceTypes: readonly string[];
  /** What a NodeClaim must say besides the instance types: the cloud may combine all of it freely. */
  readonly requirements: Requirements;
}

/** A NodeClaim names at most this many instance types. */
const maxInstanceTypes = 600;

/** Groups of machines that may stand in for each other, with their rows laid out for a quick look. */
interface Scope {
  readonly rows: readonly Row[];
  readonly capacity: Float64Array;
  /** For each type how many rows it has here, or 0 when a combination that the claim could not exclude lies outside. */
  readonly rowsOfType: Int32Array;
  readonly requirements: Requirements;
}

/**
 * Finds everything that would also hold a node's pods. A claim can only name types, zones and capacity types, so a type
 * is left out when one of its combinations would not do.
 */
export class AlternativeFinder {
  private readonly world: World;
  private readonly budgets: BudgetBook;
  private readonly newNodesByPool: ReadonlyMap<string, number>;
  private readonly scopes = new Map<string, Scope>();
  private readonly found = new Map<string, Alternatives>();

  constructor(world: World, budgets: BudgetBook) {
    this.world = world;
    this.budgets = budgets;
    const counts = new Map<string, number>();
    for (const { machine, poolName } of world.openNodes)
      if (machine) counts.set(poolName, (counts.get(poolName) ?? 0) + 1);
    this.newNodesByPool = counts;
  }

  find(open: OpenNode, machine: Machine): Alternatives {
    const used = machine.capacity.map((amount, index) => amount - open.room[index]!);
    const groups = this.exchangeableGroups(open, machine);
    const { group, row } = machine;
    const scope = `${group.index}|${row.offering.reservationId ?? ""}|${groups.map(({ index }) => index).join()}`;
    const key = `${machine.index}|${scope}|${used.join()}`;
    let alternatives = this.found.get(key);
    if (!alternatives) {
      alternatives =
        this.search(this.scope(scope, groups, machine, false), used, machine) ??
        this.search(this.scope(`${machine.index}|${scope}`, groups, machine, true), used, machine)!;
      this.found.set(key, alternatives);
    }
    return alternatives;
  }

  private search(scope: Scope, used: Float64Array, machine: Machine): Alternatives | undefined {
    const dimensions = used.length;
    const fitting = new Int32Array(scope.rowsOfType.length);
    const order: Row[] = [];
    const { limits } = machine.group.catalogue.pool;
    for (let row = 0; row < scope.rows.length; row++) {
      let fits = limits.size === 0 || this.isWithinLimits(scope.rows[row]!, machine);
      for (let index = 0; fits && index < dimensions; index++)
        fits = scope.capacity[row * dimensions + index]! >= used[index]!;
      if (!fits) continue;
      if (fitting[scope.rows[row]!.typeIndex]!++ === 0) order.push(scope.rows[row]!);
    }
    const types: string[] = [];
    for (const { type, typeIndex } of order)
      if (fitting[typeIndex] === scope.rowsOfType[typeIndex]) types.push(type.name);
    const own = types.indexOf(machine.row.type.name);
    if (own < 0) return undefined;
    if (own >= maxInstanceTypes) types.splice(maxInstanceTypes - 1, 0, machine.row.type.name);
    return { instanceTypes: types.slice(0, maxInstanceTypes), requirements: scope.requirements };
  }

  /** The groups of the pool that all pods on the node may be on, and that differ in nothing the claim could not say. */
  private exchangeableGroups(open: OpenNode, { group }: Machine): MachineGroup[] {
    const pinned = pinnedKeys(open);
    return this.world
      .groupsLike(group)
      .filter(
        (other) =>
          open.placed.every(({ staged }) => staged.allowedGroups.has(other)) &&
          (other === group || isExchangeable(group, other, pinned)),
      );
  }

  private scope(name: string, groups: readonly MachineGroup[], machine: Machine, isNarrow: boolean): Scope {
    const known = this.scopes.get(name);
    if (known) return known;
    const scope = this.makeScope(groups, machine, isNarrow);
    this.scopes.set(name, scope);
    return scope;
  }

  private makeScope(groups: readonly MachineGroup[], machine: Machine, isNarrow: boolean): Scope {
    const { group, row: planned } = machine;
    const isOneOffering = isNarrow || planned.offering.reservationId !== undefined;
    const isInScope = (row: Row) =>
      row.offering.reservationId === planned.offering.reservationId &&
      (!isOneOffering || (row.zone === planned.zone && row.capacityType === planned.capacityType));
    const { catalogue } = group;
    const capacityOf: (Float64Array | undefined)[] = new Array(catalogue.rows.length);
    for (const member of groups) {
      const capacities = this.world.machines.capacitiesOf(member);
      member.rows.forEach((row, index) => {
        if (isInScope(row)) capacityOf[row.index] = capacities[index];
      });
    }
    const rows = catalogue.rows.filter(({ index }) => capacityOf[index] !== undefined);
    const zones = new Set(rows.map(({ zone }) => zone));
    const capacityTypes = new Set(rows.map(({ capacityType }) => capacityType));
    const rowsOfType = new Int32Array(catalogue.pool.instanceTypes.length);
    for (const { typeIndex } of rows) rowsOfType[typeIndex]!++;
    for (const row of catalogue.rows) {
      if (capacityOf[row.index] || !row.isAvailable || !zones.has(row.zone) || !capacityTypes.has(row.capacityType))
        continue;
      // A claim names its reservation, so another one's offerings are no danger.
      const isOtherReservation =
        row.offering.reservationId !== planned.offering.reservationId && row.offering.reservationId !== undefined;
      if (!isOtherReservation) rowsOfType[row.typeIndex] = 0;
    }
    const capacity = new Float64Array(rows.length * this.world.resources.length);
    rows.forEach(({ index }, at) => {
      capacity.set(capacityOf[index]!, at * this.world.resources.length);
    });
    return { rows, capacity, rowsOfType, requirements: claimRequirements(machine, groups, zones, capacityTypes) };
  }

  /** The plan counted the planned machine against the pool's limits; larger ones share what is left of them. */
  private isWithinLimits(row: Row, machine: Machine): boolean {
    const { name, limits } = machine.group.catalogue.pool;
    for (const resource of limits.keys()) {
      const remaining = this.budgets.remainingOf(name, resource) ?? 0;
      const share = Math.max(0, remaining) / (this.newNodesByPool.get(name) ?? 1);
      if (usedByMachine(row, resource) - usedByMachine(machine.row, resource) > share) return false;
    }
    return true;
  }
}

/** Topology rules count the pods in the domains they were planned for: another zone would break them. */
function pinnedKeys({ placed }: OpenNode): Set<string> {
  const keys = new Set<string>();
  for (const { staged } of placed) {
    for (const { counts } of staged.rules.demands) keys.add(counts.group.key);
    for (const counts of staged.rules.memberOf) keys.add(counts.group.key);
    for (const counts of staged.rules.owns) keys.add(counts.group.key);
  }
  return keys;
}

/** Whether two groups differ only in labels that the instance type or the offering decides, and no rule pins. */
function isExchangeable(group: MachineGroup, other: MachineGroup, pinned: ReadonlySet<string>): boolean {
  const row = group.rows[0];
  const otherRow = other.rows[0];
  if (!row || !otherRow) return false;
  for (const key of new Set([...group.labels.keys(), ...other.labels.keys()])) {
    if (group.labels.get(key) === other.labels.get(key)) continue;
    if (pinned.has(key) || !isDecided(row, key) || !isDecided(otherRow, key)) return false;
  }
  return true;
}

function isDecided({ type, offering }: Row, key: string): boolean {
  const requirement = offering.requirements.get(key) ?? type.requirements.get(key);
  return requirement !== undefined && !requirement.isComplement && requirement.values.size === 1;
}

/** The pool's requirements, narrowed to what would hold the pods. */
function claimRequirements(
  { group, row }: Machine,
  groups: readonly MachineGroup[],
  zones: ReadonlySet<string>,
  capacityTypes: ReadonlySet<string>,
): Requirements {
  const { pool } = group.catalogue;
  const requirements = new Map<string, Requirement>(
    [...pool.requirements].filter(([key]) => !pool.defaultKeys.has(key)),
  );
  const narrow = (key: string, values: Iterable<string>) => {
    const own = requirements.get(key);
    const exact = makeRequirement("In", [...values]);
    requirements.set(key, own ? intersection(own, exact) : exact);
  };
  for (const key of group.labels.keys()) {
    if (key === nodePoolLabel || pool.labels.has(key)) continue;
    const values = [...new Set(groups.flatMap((member) => [...valuesOf(member, key)]))];
    if (values.every((value) => value !== undefined)) narrow(key, values);
  }
  narrow(zoneLabel, zones);
  narrow(capacityTypeLabel, capacityTypes);
  if (row.offering.reservationId !== undefined) {
    for (const [key, requirement] of row.offering.requirements) {
      if (key !== zoneLabel && key !== capacityTypeLabel) requirements.set(key, requirement);
    }
  }
  return requirements;
}
