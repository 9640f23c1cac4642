import { Filler } from "./fill.ts";
import { isAvailable, nodeValue, repeat } from "./packed-node.ts";
import type { Prices } from "./prices.ts";
import type { PackedNode, PackingProblem } from "./problem.ts";
import { solveCovering } from "./simplex.ts";

/** A filled machine that may be bought several times. */
export type Pattern = PackedNode;

export interface MasterSolution {
  /** How many of each pattern to buy, in fractions. */
  readonly amounts: Float64Array;
  /** What one more of each item would cost. */
  readonly itemValues: Float64Array;
}

/** Finds the cheapest mix of known patterns that covers all items, in fractions. */
export function solveMaster(problem: PackingProblem, patterns: readonly Pattern[]): MasterSolution {
  const rows = problem.itemCount;
  const columns = patterns.length;
  const coefficients = new Float64Array(rows * columns);
  const costs = new Float64Array(columns);
  patterns.forEach(({ machine, items, counts }, column) => {
    costs[column] = problem.price[machine]!;
    items.forEach((item, index) => {
      coefficients[column * rows + item] = counts[index]!;
    });
  });
  const demands = Float64Array.from(problem.counts);
  const { amounts, rowPrices } = solveCovering({ rows, columns, coefficients, costs, demands }, 50 + rows * 10);
  return { amounts, itemValues: rowPrices };
}

/** Shares of the first resource when resources are weighed against each other, and how many of the densest item to spare. */
const shares = [0, 0.2, 0.4, 0.5, 0.6, 0.8, 1];
const spares = [0, 1, 2];

/** Looks on every machine for fillings that are worth more than they cost, and adds the best of each to the patterns. */
export function proposePatterns(problem: PackingProblem, prices: Prices, known: Map<string, Pattern>): void {
  const filler = new Filler(problem, prices);
  const weighings = shares.map((share) =>
    Array.from({ length: problem.dimensions }, (_, index) => (index === 0 ? share : index === 1 ? 1 - share : 0)),
  );
  for (let machine = 0; machine < problem.machineCount; machine++) {
    let best: Pattern | undefined;
    let most = problem.price[machine]! * worthKeeping;
    for (const weights of weighings) {
      const items = filler.byDensity(machine, weights);
      for (const spared of spares) {
        const pattern = filler.fillInOrder(machine, items, spared);
        const value = nodeValue(pattern, prices.itemValue);
        if (value > most) {
          most = value;
          best = pattern;
        }
      }
    }
    if (best) collectPatterns(known, [best]);
  }
}

/** A pattern that is worth a little less than it costs may be just what another one needs. */
const worthKeeping = 0.98;

/** The patterns of a packing that are not known yet, added to those that are. */
export function collectPatterns(known: Map<string, Pattern>, nodes: readonly PackedNode[]): void {
  for (const node of nodes) {
    const entries = node.items.map((item, index) => [item, node.counts[index]!] as const).sort((a, b) => a[0] - b[0]);
    const key = `${node.machine}:${entries.join(";")}`;
    if (!known.has(key)) known.set(key, node);
  }
}

/** Buys the whole part of each amount as far as there are items for it, and takes them from `left`. */
export function wholePatterns(patterns: readonly Pattern[], amounts: Float64Array, left: Int32Array): PackedNode[] {
  const nodes: PackedNode[] = [];
  patterns.forEach((pattern, column) => {
    const times = Math.floor(amounts[column]! + 1e-6);
    for (let time = 0; time < times && isAvailable(pattern, left); time++) nodes.push(...repeat(pattern, 1, left));
  });
  return nodes;
}
