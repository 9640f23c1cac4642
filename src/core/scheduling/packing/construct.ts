import type { Filler } from "./fill.ts";
import { isAvailable, nodeValue, repeat } from "./packed-node.ts";
import type { PackedNode, PackingProblem } from "./problem.ts";

/** Items may be worth nothing at the margin, where others pay for the nodes, and need a machine all the same. */
const leastValue = 1e-9;

/**
 * Buys, again and again, the machine that can be filled with the most value for its price. What a machine can be
 * filled with only shrinks, so an old estimate is an upper bound and most machines are never looked at twice.
 */
export function construct(
  problem: PackingProblem,
  filler: Filler,
  remaining: Int32Array,
  bestRatio: (machine: number) => number,
): PackedNode[] {
  const { machineCount, price } = problem;
  const left = problem.budgets.remaining.slice();
  const ratio = new Float64Array(machineCount);
  const pattern: (PackedNode | undefined)[] = new Array(machineCount);
  for (let machine = 0; machine < machineCount; machine++)
    ratio[machine] = bestRatio(machine) + leastValue / Math.max(price[machine]!, 1e-9);
  const nodes: PackedNode[] = [];
  for (;;) {
    let best = -1;
    for (let machine = 0; machine < machineCount; machine++) {
      if (ratio[machine]! > 0 && (best < 0 || ratio[machine]! > ratio[best]!)) best = machine;
    }
    if (best < 0) return nodes;
    const known = pattern[best];
    if (!known || !isAvailable(known, remaining)) {
      const fresh = affordable(problem, left, best) > 0 ? filler.fillEmpty(best, remaining) : undefined;
      pattern[best] = fresh;
      ratio[best] = fresh ? (nodeValue(fresh, filler.prices.itemValue) + leastValue) / Math.max(price[best]!, 1e-9) : 0;
      continue;
    }
    const times = Math.min(timesAvailable(known, remaining), affordable(problem, left, best));
    if (times === 0) {
      ratio[best] = 0;
      continue;
    }
    nodes.push(...repeat(known, times, remaining));
    for (const { budget, amount } of problem.budgets.uses[best]!) left[budget]! -= amount * times;
  }
}

function timesAvailable(node: PackedNode, remaining: Int32Array): number {
  return node.items.reduce(
    (least, item, index) => Math.min(least, Math.floor(remaining[item]! / node.counts[index]!)),
    Number.MAX_SAFE_INTEGER,
  );
}

function affordable(problem: PackingProblem, left: Float64Array, machine: number): number {
  let most = Number.MAX_SAFE_INTEGER;
  for (const { budget, amount } of problem.budgets.uses[machine]!) {
    if (amount > 0) most = Math.min(most, Math.floor(left[budget]! / amount));
  }
  return most;
}
