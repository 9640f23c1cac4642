import { hasBit } from "./bitset.ts";
import type { PackingProblem } from "./problem.ts";

const known = new WeakMap<PackingProblem, (Int32Array | undefined)[]>();

/** The items that may be bought for on a machine and fit it when it is empty; worked out once for a problem. */
export function usableItems(problem: PackingProblem, machine: number): Int32Array {
  let byMachine = known.get(problem);
  if (!byMachine) {
    byMachine = new Array(problem.machineCount);
    known.set(problem, byMachine);
  }
  let items = byMachine[machine];
  if (!items) {
    items = findUsableItems(problem, machine);
    byMachine[machine] = items;
  }
  return items;
}

function findUsableItems(problem: PackingProblem, machine: number): Int32Array {
  const { itemCount, machineSets, machineSetOf } = problem;
  const found: number[] = [];
  for (let item = 0; item < itemCount; item++) {
    if (hasBit(machineSets[machineSetOf[item]!]!, machine) && fitsAlone(problem, item, machine)) found.push(item);
  }
  return Int32Array.from(found);
}

function fitsAlone(
  { dimensions, capacity, requests, profile }: PackingProblem,
  item: number,
  machine: number,
): boolean {
  const table = requests[profile[machine]!]!;
  for (let dimension = 0; dimension < dimensions; dimension++) {
    if (table[item * dimensions + dimension]! > capacity[machine * dimensions + dimension]!) return false;
  }
  return true;
}
