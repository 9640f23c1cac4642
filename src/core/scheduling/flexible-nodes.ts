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

/** Finds nodes for pods that left too little choice together with others. */
export class FlexibleNodes {
  private readonly world: World;
  private readonly budgets: BudgetBook;
  private readonly finder: AlternativeFinder;

  constructor(world: World, budgets: BudgetBook, finder: AlternativeFinder) {
    this.world = world;
    this.budgets = budgets;
    this.finder = finder;
  }

  /** As many of a lot on each node as some machine holds without losing the choice; none when not even one is. */
  *nodesFor(lot: Lot, count: number): Generator<{ node: OpenNode; count: number }> {
    for (let left = count; left > 0; ) {
      const found = this.largest(lot, left);
      if (!found) return;
      left -= found.count;
      yield found;
    }
  }

  private largest(lot: Lot, most: number): { node: OpenNode; count: number } | undefined {
    const machines = lot.choice.machines.toSorted((a, b) => a.price - b.price);
    let low = 0;
    let best: OpenNode | undefined;
    for (let high = lot.host ? 1 : most; low < high; ) {
      const middle = Math.ceil((low + high) / 2);
      const node = this.cheapestFor(lot, middle, machines);
      if (node) {
        low = middle;
        best = node;
      } else high = middle - 1;
    }
    return best && { node: best, count: low };
  }

  private cheapestFor(lot: Lot, count: number, machines: readonly Machine[]): OpenNode | undefined {
    for (const machine of machines) {
      const profile = this.world.profileOf(machine.group.catalogue.pool.name);
      const isTooSmall = lot.requests[profile]!.some((need, index) => need * count > machine.capacity[index]!);
      if (isTooSmall || !this.budgets.canAfford(machine)) continue;
      const node = newNode(machine);
      addLot(node, lot, count, profile);
      if (leavesEnoughChoice(node, this.finder)) return node;
    }
    return undefined;
  }
}
