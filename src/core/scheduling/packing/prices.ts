import { FractionalPurchase } from "./fractional-purchase.ts";
import type { PackingProblem } from "./problem.ts";

/** What resources are worth at the margin: the dual prices of buying machines in fractions. */
export interface Prices {
  /** For each machine the index of its cluster: machines that the same items can use. */
  readonly clusterOf: Int32Array;
  /** Dollars for a unit of each resource in each cluster, cluster by cluster. */
  readonly resourcePrices: Float64Array;
  /** Dollars that an item is worth beyond its resources, because its host rules ask for more nodes. */
  readonly itemBonus: Float64Array;
  /** What it costs to serve an item where that is cheapest: its worth, wherever it is put. */
  readonly itemValue: Float64Array;
}

/** How much more demand a resource is imagined to meet when the prices are worked out. */
const stress = 1.2;

/**
 * A resource that is nearly scarce has no price at the optimum, and packing would squander it. So the prices are the
 * mean of what they would be if there were a little more demand for each resource in turn.
 */
export function marginalPrices(problem: PackingProblem): Prices {
  const { dimensions, itemCount } = problem;
  const purchase = new FractionalPurchase(problem, false);
  const mean = new Float64Array(purchase.hostRow(purchase.hostRows.length));
  const scarce = purchase.scarceResources(stress);
  for (const resource of scarce) {
    const factors = Array.from({ length: dimensions }, (_, dimension) => (dimension === resource ? stress : 1));
    const { rowPrices } = purchase.solve(factors);
    for (let row = 0; row < mean.length; row++) mean[row]! += rowPrices[row]! / scarce.length;
  }
  const itemBonus = new Float64Array(itemCount);
  purchase.hostRows.forEach(({ items }, index) => {
    for (const item of items) itemBonus[item]! += mean[purchase.hostRow(index)]!;
  });
  const resourcePrices = mean.slice(0, purchase.resourceRows);
  const itemValue = cheapestService(problem, purchase.clustersOfSets(), resourcePrices);
  for (let item = 0; item < itemCount; item++) itemValue[item]! += itemBonus[item]!;
  return { clusterOf: purchase.clusterOf, resourcePrices, itemBonus, itemValue };
}

/** What each item costs at these prices in the cluster that serves it for least. */
export function cheapestService(
  problem: PackingProblem,
  clustersOfSets: readonly (readonly number[])[],
  resourcePrices: Float64Array,
): Float64Array {
  const { dimensions, itemCount, requests, machineSetOf } = problem;
  const values = new Float64Array(itemCount);
  for (let item = 0; item < itemCount; item++) {
    let least = Number.POSITIVE_INFINITY;
    for (const cluster of clustersOfSets[machineSetOf[item]!]!) {
      for (const table of requests) {
        let value = 0;
        for (let dimension = 0; dimension < dimensions; dimension++) {
          value += table[item * dimensions + dimension]! * resourcePrices[cluster * dimensions + dimension]!;
        }
        least = Math.min(least, value);
      }
    }
    values[item] = Number.isFinite(least) ? least : 0;
  }
  return values;
}
