import { FractionalPurchase } from "./fractional-purchase.ts";
import { cheapestService, marginalPrices } from "./prices.ts";
import type { PackingProblem } from "./problem.ts";
import { usableItems } from "./usable-items.ts";

/**
 * A price that no packing can beat: the better of two. Buying machines in fractions ignores that pods are whole and that
 * a pod must fit its machine. Item values ignore nothing of that but may be off: if no machine can be filled with more
 * value than it costs, the value of all items is a lower bound.
 */
export function lowerBound(problem: PackingProblem, repairs: number): number {
  if (problem.itemCount === 0) return 0;
  const fractional = fractionalBound(problem, repairs === 0 ? maxExactFlows.hurried : maxExactFlows.leisurely);
  const isQuick = problem.itemCount * problem.machineCount <= maxValuedPairs;
  return repairs === 0 || !isQuick ? fractional : Math.max(fractional, valueBound(problem, repairs));
}

/** More pairs of item and machine than this take long to be valued one by one, and fractions say more than that does. */
const maxValuedPairs = 10_000;

/** A program with more flows than this takes too long to be solved exactly, in a hurry and at leisure. */
const maxExactFlows = { hurried: 200, leisurely: 1500 };

/**
 * With many items the fractional purchase sends only average pods to a cluster of machines, which can cost more than
 * sending each where it fits best. So its prices are only taken as an opinion: whatever they are, serving every item
 * where it is cheapest at prices that no machine exceeds is a lower bound.
 */
function fractionalBound(problem: PackingProblem, maxFlows: number): number {
  const { dimensions, machineCount, itemCount, capacity, price, counts } = problem;
  // Every item flows somewhere, so that more items than flows need not be tried.
  const exact = itemCount <= maxFlows ? new FractionalPurchase(problem, true) : undefined;
  const isExact = exact?.isDivided && exact.flowCount <= maxFlows;
  const purchase = exact && isExact ? exact : new FractionalPurchase(problem, false);
  const { rowPrices } = purchase.solve(Array.from({ length: dimensions }, () => 1));
  let scale = 1;
  for (let machine = 0; machine < machineCount; machine++) {
    const prices = purchase.clusterOf[machine]! * dimensions;
    let worth = 0;
    for (let index = 0; index < dimensions; index++) {
      worth += capacity[machine * dimensions + index]! * rowPrices[prices + index]!;
    }
    purchase.hostRows.forEach(({ machines, most }, index) => {
      if (machines[machine]) worth += most * rowPrices[purchase.hostRow(index)]!;
    });
    if (worth > 0) scale = Math.min(scale, price[machine]! / worth);
  }
  const values = cheapestService(problem, purchase.clustersOfSets(), rowPrices);
  let total = 0;
  for (let item = 0; item < itemCount; item++) total += counts[item]! * values[item]!;
  purchase.hostRows.forEach(({ count }, index) => {
    total += count * rowPrices[purchase.hostRow(index)]!;
  });
  return total * scale * roundingSafety;
}

/** What sums of many products may be off by. */
const roundingSafety = 1 - 1e-9;

function valueBound(problem: PackingProblem, repairs: number): number {
  const values = marginalPrices(problem).itemValue.slice();
  const usable = Array.from({ length: problem.machineCount }, (_, machine) => usableItems(problem, machine));
  let best = 0;
  for (let repair = 0; repair < repairs; repair++) {
    const ratios = usable.map(
      (items, machine) => mostValueOn(problem, machine, items, values) / Math.max(problem.price[machine]!, 1e-12),
    );
    const worst = ratios.reduce((most, ratio) => Math.max(most, ratio), 0);
    if (worst <= 0) return best;
    let total = 0;
    for (let item = 0; item < problem.itemCount; item++) total += problem.counts[item]! * values[item]!;
    best = Math.max(best, (total / worst) * roundingSafety);
    // An item is worth too much when a machine it can use would be worth more than it costs.
    const own = new Float64Array(problem.itemCount);
    usable.forEach((items, machine) => {
      for (const item of items) own[item] = Math.max(own[item]!, ratios[machine]!);
    });
    for (let item = 0; item < problem.itemCount; item++) if (own[item]! > 0) values[item]! /= Math.sqrt(own[item]!);
  }
  return best;
}

/** No set of items that fits the machine is worth more: the best of one resource at a time, and of all weighed alike. */
function mostValueOn(problem: PackingProblem, machine: number, items: Int32Array, values: Float64Array): number {
  const { dimensions, capacity, requests, profile, counts, hostRules } = problem;
  const table = requests[profile[machine]!]!;
  const whole = capacity.subarray(machine * dimensions, (machine + 1) * dimensions);
  let least = Number.POSITIVE_INFINITY;
  // What is worth nothing adds nothing, and could not be put in order with the rest.
  const valuable = Array.from(items).filter((item) => values[item]! > 0);
  for (const weights of resourceWeights(whole)) {
    const sized = valuable.map((item) => {
      let size = 0;
      let most = hostRules[item]?.refuses.some((group) => hostRules[item]!.memberOf.includes(group))
        ? 1
        : counts[item]!;
      for (let index = 0; index < dimensions; index++) {
        const need = table[item * dimensions + index]!;
        size += weights[index]! * need;
        if (need > 0) most = Math.min(most, Math.floor(whole[index]! / need));
      }
      return { item, size, most };
    });
    sized.sort((a, b) => values[b.item]! * a.size - values[a.item]! * b.size);
    let room = weights.reduce((sum, weight, index) => sum + weight * whole[index]!, 0);
    let value = 0;
    for (const { item, size, most } of sized) {
      if (size > 0 && room <= 0) continue;
      const count = size > 0 ? Math.min(most, room / size) : most;
      value += count * values[item]!;
      room -= count * size;
    }
    least = Math.min(least, value);
  }
  return least;
}

/** Each resource alone, and the two that run out most often in three proportions. */
function resourceWeights(whole: Float64Array): number[][] {
  const unit = Array.from(whole, (amount) => (amount > 0 ? 1 / amount : 0));
  const weights = unit.map((weight, index) => unit.map((_, other) => (other === index ? weight : 0)));
  for (const share of [0.3, 0.5, 0.7]) {
    weights.push(unit.map((weight, index) => (index === 0 ? weight * share : index === 1 ? weight * (1 - share) : 0)));
  }
  return weights;
}
