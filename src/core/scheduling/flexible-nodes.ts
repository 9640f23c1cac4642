import type { AlternativeFinder } from "./alternatives.ts";
import type { BudgetBook } from "./budgets.ts";
import type { Lot } from "./lots.ts";
import type { Machine } from "./machines.ts";
import { minValuesOf, namedTypes, unmetMinValues } from "./min-values.ts";
import { addLot, newNode, type OpenNode } from "./open-nodes.ts";
import type { World } from "./world.ts";

/** Whether what else could be launched for a new node meets the minValues of its pool. */
export function leavesEnoughChoice(open: OpenNode, finder: AlternativeFinder): boolean {
  const machine = open.machine!;
  const { pool } = machine.group.catalogue;
  const demands = minValuesOf(pool);
  if (demands.length === 0) return true;
  return unmetMinValues(demands, namedTypes(pool, finder.find(open, machine).instanceTypes)) === undefined;
}

/**
 * Nodes for pods of one lot that left too little choice together with others: as many on each as some machine holds
 * without losing the choice. Stops when no machine does so for even one.
 */
export function* flexibleNodes(
  lot: Lot,
  count: number,
  world: World,
  budgets: BudgetBook,
  finder: AlternativeFinder,
): Generator<{ node: OpenNode; count: number }> {
  const machines = lot.choice.machines.toSorted((a, b) => a.price - b.price);
  for (let left = count; left > 0; ) {
    const found = largestFlexible(lot, left, machines, world, budgets, finder);
    if (!found) return;
    left -= found.count;
    yield found;
  }
}

function largestFlexible(
  lot: Lot,
  most: number,
  machines: readonly Machine[],
  world: World,
  budgets: BudgetBook,
  finder: AlternativeFinder,
): { node: OpenNode; count: number } | undefined {
  const nodeFor = (count: number): OpenNode | undefined => {
    for (const machine of machines) {
      const profile = world.profileOf(machine.group.catalogue.pool.name);
      const requests = lot.requests[profile]!;
      if (!budgets.canAfford(machine) || requests.some((need, index) => need * count > machine.capacity[index]!))
        continue;
      const node = newNode(machine);
      addLot(node, lot, count, profile);
      if (leavesEnoughChoice(node, finder)) return node;
    }
    return undefined;
  };
  let low = 0;
  let best: OpenNode | undefined;
  for (let high = lot.host ? 1 : most; low < high; ) {
    const middle = Math.ceil((low + high) / 2);
    const node = nodeFor(middle);
    if (node) {
      low = middle;
      best = node;
    } else high = middle - 1;
  }
  return best && { node: best, count: low };
}
