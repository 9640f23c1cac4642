import type { Cell } from "./assign-domains.ts";
import type { Machine } from "./machines.ts";
import { addBit, emptyBitset } from "./packing/bitset.ts";
import type { BudgetUse, HostRules, PackingProblem } from "./packing/problem.ts";
import type { StagedClass } from "./world.ts";

/** Pods to be packed onto new nodes: of one class, or a bundle that has to share a host. */
export interface Lot {
  readonly parts: readonly LotPart[];
  /** How many times the parts are wanted. */
  readonly count: number;
  /** For each request profile what the parts take together. */
  readonly requests: readonly Float64Array[];
  readonly choice: MachineChoice;
  readonly host: HostRules | undefined;
  /** Where the pods have been counted, when topology rules look at them. */
  readonly cell: Cell | undefined;
}

/** The machines that may be bought for a lot. */
export interface MachineChoice {
  /** Rank of the pool that provides them. */
  readonly poolRank: number;
  /** Reserved machines, and nothing else while there is a reservation to wait for. */
  readonly isReserved: boolean;
  readonly machines: readonly Machine[];
}

export interface LotPart {
  readonly staged: StagedClass;
  readonly count: number;
}

/** The packing problem of some lots, with what its numbers stand for. */
export interface LotProblem {
  readonly problem: PackingProblem;
  readonly machines: readonly Machine[];
  readonly lotsByItem: readonly (readonly Lot[])[];
}

/** What there is besides lots and machines: what may be spent, and who shares hosts. */
export interface PackingTerms {
  readonly budgets: Float64Array;
  readonly usesOf: (machine: Machine) => readonly BudgetUse[];
  readonly profileOf: (poolName: string) => number;
  readonly priceOf: (machine: Machine) => number;
  readonly hostGroupCount: number;
}

/** Lots that ask for the same amounts on the same machines and share hosts alike are one item. */
export function packingProblem(lots: readonly Lot[], terms: PackingTerms): LotProblem {
  const choices = [...new Set(lots.map(({ choice }) => choice.machines))];
  const machines = usefulMachines(lots, choices, terms);
  const placeOf = new Map(machines.map((machine, place) => [machine, place]));
  const profiles = lots[0]!.requests.length;
  const dimensions = lots[0]!.requests[0]!.length;
  const machineSets = choices.map((choice) => {
    const set = emptyBitset(machines.length);
    for (const machine of choice) {
      const place = placeOf.get(machine);
      if (place !== undefined) addBit(set, place);
    }
    return set;
  });
  const machineSetIds = new Map(choices.map((choice, id) => [choice, id]));
  const itemIds = new Map<string, number>();
  const lotsByItem: Lot[][] = [];
  const machineSetOf: number[] = [];
  for (const lot of lots) {
    const id = machineSetIds.get(lot.choice.machines)!;
    const key = `${id}|${lot.requests.map((table) => table.join()).join(";")}|${hostKey(lot.host)}`;
    let item = itemIds.get(key);
    if (item === undefined) {
      item = lotsByItem.length;
      itemIds.set(key, item);
      lotsByItem.push([]);
      machineSetOf.push(id);
    }
    lotsByItem[item]!.push(lot);
  }
  const requests = Array.from({ length: profiles }, (_, profile) => {
    const table = new Float64Array(lotsByItem.length * dimensions);
    lotsByItem.forEach(([lot], item) => {
      table.set(lot!.requests[profile]!, item * dimensions);
    });
    return table;
  });
  const problem: PackingProblem = {
    dimensions,
    machineCount: machines.length,
    capacity: Float64Array.from(machines.flatMap(({ capacity }) => [...capacity])),
    price: Float64Array.from(machines, terms.priceOf),
    profile: Uint16Array.from(machines, ({ group }) => terms.profileOf(group.catalogue.pool.name)),
    itemCount: lotsByItem.length,
    requests,
    counts: Int32Array.from(lotsByItem, (group) => group.reduce((sum, { count }) => sum + count, 0)),
    machineSetOf: Int32Array.from(machineSetOf),
    machineSets,
    hostRules: lotsByItem.map(([lot]) => lot!.host),
    hostGroupCount: terms.hostGroupCount,
    budgets: { remaining: terms.budgets, uses: machines.map(terms.usesOf) },
  };
  return { problem, machines, lotsByItem };
}

/**
 * Of machines that would hold all lots together, the cheapest will do: what a machine has beyond that is worth nothing. So
 * for a few pods, few machines of a large catalogue are left to look at.
 */
function usefulMachines(
  lots: readonly Lot[],
  choices: readonly (readonly Machine[])[],
  terms: PackingTerms,
): readonly Machine[] {
  const total = lots.reduce((sum, { requests, count }) => {
    for (const table of requests)
      table.forEach((amount, index) => {
        sum[index]! += amount * count;
      });
    return sum;
  }, new Float64Array(lots[0]!.requests[0]!.length));
  const sets = new Map<Machine, string>();
  choices.forEach((choice, id) => {
    for (const machine of choice) sets.set(machine, `${sets.get(machine) ?? ""} ${id}`);
  });
  const keptBySet = new Map<string, Machine[]>();
  for (const machine of [...sets.keys()].sort((a, b) => terms.priceOf(a) - terms.priceOf(b) || a.index - b.index)) {
    const set = sets.get(machine)!;
    const kept = keptBySet.get(set) ?? [];
    keptBySet.set(set, kept);
    if (!kept.some((other) => isAsUseful(other, machine, total) && takesNoMore(other, machine, terms)))
      kept.push(machine);
  }
  return [...keptBySet.values()].flat().sort((a, b) => a.index - b.index);
}

/** Whether the first has as much as the second, as far as there is use for it. */
function isAsUseful({ capacity }: Machine, other: Machine, total: Float64Array): boolean {
  return capacity.every((amount, index) => amount >= Math.min(other.capacity[index]!, total[index]!));
}

function takesNoMore(machine: Machine, other: Machine, { usesOf }: PackingTerms): boolean {
  const limits = new Map(usesOf(other).map(({ budget, amount }) => [budget, amount]));
  return usesOf(machine).every(({ budget, amount }) => amount <= (limits.get(budget) ?? 0));
}

function hostKey(rules: HostRules | undefined): string {
  if (!rules) return "";
  const sorted = (numbers: readonly number[]) => numbers.toSorted((a, b) => a - b).join();
  const caps = rules.caps.map(({ group, most }) => `${group}:${most}`).sort();
  const bounds = rules.bounds.map(({ group, most }) => `${group}:${most}`).sort();
  return `${sorted(rules.memberOf)};${caps.join()};${sorted(rules.refuses)};${sorted(rules.owns)};${bounds.join()}`;
}

/** Lots that could not share a node, whatever is bought for them, can be packed apart from each other. */
export function independentLots(lots: readonly Lot[]): Lot[][] {
  const parentOf = new Map<object, object>();
  const rootOf = (member: object): object => {
    let root = member;
    for (let parent = parentOf.get(root); parent && parent !== root; parent = parentOf.get(root)) root = parent;
    parentOf.set(member, root);
    return root;
  };
  for (const choice of new Set(lots.map((lot) => lot.choice.machines))) {
    for (const { group } of choice) parentOf.set(rootOf(group), rootOf(choice));
  }
  return [...Map.groupBy(lots, ({ choice }) => rootOf(choice.machines)).values()];
}
