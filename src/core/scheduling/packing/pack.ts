import { hasBit } from "./bitset.ts";
import { construct } from "./construct.ts";
import { Filler } from "./fill.ts";
import { marginalPrices, type Prices } from "./prices.ts";
import type { PackedNode, PackingProblem } from "./problem.ts";

export interface Packing {
  readonly nodes: readonly PackedNode[];
  /** How many of each item found no machine. */
  readonly left: Int32Array;
  readonly rounds: number;
}

export interface PackEffort {
  readonly maxRounds: number;
  readonly shouldStop: () => boolean;
}

/** Rounds without a better result after which another would not pay. */
const patience = 12;

/** How far the worth of items moves in a round towards what they really cost in it. */
const learningRate = 0.5;

/**
 * Packs all items, then packs them anew with what was learned: an item that ended up on a badly filled node was worth
 * more than its price said, and next time it is placed earlier and with better company. Keeps the best packing.
 */
export function pack(problem: PackingProblem, { maxRounds, shouldStop }: PackEffort): Packing {
  let prices = marginalPrices(problem);
  let best: Packing | undefined;
  let bestCost = Number.POSITIVE_INFINITY;
  let sinceBetter = 0;
  for (let round = 1; ; round++) {
    const filler = new Filler(problem, prices);
    const left = problem.counts.slice();
    const bound = round === 1 ? (machine: number) => filler.bestRatio(machine) : () => Number.MAX_VALUE;
    const nodes = construct(problem, filler, left, bound);
    for (const node of nodes) downsize(problem, node);
    const cost = costOf(problem, nodes) + unplacedPenalty(left);
    if (cost < bestCost * (1 - 1e-4)) sinceBetter = 0;
    else sinceBetter++;
    if (cost < bestCost) {
      bestCost = cost;
      best = { nodes, left, rounds: round };
    }
    if (round >= maxRounds || sinceBetter >= patience || shouldStop()) break;
    prices = learn(problem, prices, nodes);
  }
  return best!;
}

function costOf(problem: PackingProblem, nodes: readonly PackedNode[]): number {
  return nodes.reduce((sum, { machine }) => sum + problem.price[machine]!, 0);
}

/** No saving is worth a pod without a node. */
function unplacedPenalty(left: Int32Array): number {
  return left.reduce((sum, count) => sum + count, 0) * 1e6;
}

function learn(problem: PackingProblem, prices: Prices, nodes: readonly PackedNode[]): Prices {
  const realized = new Float64Array(problem.itemCount);
  for (const { machine, items, counts } of nodes) {
    let value = 0;
    items.forEach((item, index) => {
      value += prices.itemValue[item]! * counts[index]!;
    });
    const ratio = value > 0 ? problem.price[machine]! / value : 0;
    items.forEach((item, index) => {
      realized[item]! += counts[index]! * prices.itemValue[item]! * ratio;
    });
  }
  const itemValue = prices.itemValue.map(
    (value, item) => value * (1 - learningRate) + (learningRate * realized[item]!) / Math.max(1, problem.counts[item]!),
  );
  return { ...prices, itemValue };
}

/** Moves a node's items to the cheapest machine that holds them. */
function downsize(problem: PackingProblem, node: PackedNode): void {
  const { dimensions, capacity, price, machineCount, profile } = problem;
  for (let machine = 0; machine < machineCount; machine++) {
    if (price[machine]! >= price[node.machine]! || profile[machine] !== profile[node.machine]) continue;
    if (problem.budgets.uses[machine]!.length > 0) continue;
    let fits = true;
    for (let dimension = 0; fits && dimension < dimensions; dimension++) {
      fits = node.used[dimension]! <= capacity[machine * dimensions + dimension]!;
    }
    if (!fits) continue;
    if (node.items.every((item) => hasBit(problem.machineSets[problem.machineSetOf[item]!]!, machine))) {
      node.machine = machine;
    }
  }
}
