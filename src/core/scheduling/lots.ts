import type { Cell } from "./assign-domains.ts";
import type { Bitset } from "./packing/bitset.ts";
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
  readonly machines: Bitset;
}

export interface LotPart {
  readonly staged: StagedClass;
  readonly count: number;
}

export interface MachineTable {
  readonly capacity: Float64Array;
  readonly price: Float64Array;
  readonly profile: Uint16Array;
  readonly budgetUses: readonly (readonly BudgetUse[])[];
}

/** The packing problem of some lots, and which lots each of its items stands for. */
export interface LotProblem {
  readonly problem: PackingProblem;
  readonly lotsByItem: readonly (readonly Lot[])[];
}

/** Lots that ask for the same amounts on the same machines and share hosts alike are one item. */
export function packingProblem(
  lots: readonly Lot[],
  machines: MachineTable,
  budgets: Float64Array,
  hostGroupCount: number,
): LotProblem {
  const machineCount = machines.price.length;
  const profiles = lots[0]!.requests.length;
  const dimensions = lots[0]!.requests[0]!.length;
  const machineSets: Bitset[] = [];
  const machineSetIds = new Map<Bitset, number>();
  const itemIds = new Map<string, number>();
  const lotsByItem: Lot[][] = [];
  const machineSetOf: number[] = [];
  for (const lot of lots) {
    let id = machineSetIds.get(lot.choice.machines);
    if (id === undefined) {
      id = machineSets.length;
      machineSetIds.set(lot.choice.machines, id);
      machineSets.push(lot.choice.machines);
    }
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
    machineCount,
    capacity: machines.capacity,
    price: machines.price,
    profile: machines.profile,
    itemCount: lotsByItem.length,
    requests,
    counts: Int32Array.from(lotsByItem, (group) => group.reduce((sum, { count }) => sum + count, 0)),
    machineSetOf: Int32Array.from(machineSetOf),
    machineSets,
    hostRules: lotsByItem.map(([lot]) => lot!.host),
    hostGroupCount,
    budgets: { remaining: budgets, uses: machines.budgetUses },
  };
  return { problem, lotsByItem };
}

function hostKey(rules: HostRules | undefined): string {
  if (!rules) return "";
  const sorted = (numbers: readonly number[]) => numbers.toSorted((a, b) => a - b).join();
  const caps = rules.caps.map(({ group, most }) => `${group}:${most}`).sort();
  return `${sorted(rules.memberOf)};${caps.join()};${sorted(rules.refuses)};${sorted(rules.owns)}`;
}
