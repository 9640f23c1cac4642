import { hasBit } from "./bitset.ts";
import type { PackedNode, PackingProblem } from "./problem.ts";

/** Moves a node's items to the cheapest machine that holds them. */
export function downsize(problem: PackingProblem, node: PackedNode): void {
  const { dimensions, capacity, price, machineCount, profile } = problem;
  for (let machine = 0; machine < machineCount; machine++) {
    if (price[machine]! >= price[node.machine]! || profile[machine] !== profile[node.machine]) continue;
    if (!takesNoMore(problem, machine, node.machine)) continue;
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

/** Whether one machine takes no more of any budget than another. */
function takesNoMore({ budgets }: PackingProblem, machine: number, other: number): boolean {
  return budgets.uses[machine]!.every(({ budget, amount }) => {
    const known = budgets.uses[other]!.find((use) => use.budget === budget);
    return amount <= (known?.amount ?? 0);
  });
}
