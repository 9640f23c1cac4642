import { hasBit } from "./bitset.ts";
import type { PackingProblem } from "./problem.ts";
import { solveCovering } from "./simplex.ts";

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

/** More groups than this seldom bind, and every row makes the program slower. */
const maxHostRows = 6;

const stress = 1.2;

export function marginalPrices(problem: PackingProblem): Prices {
  const { dimensions, machineCount, itemCount } = problem;
  const { clusterOf, clusterCount } = clusterMachines(problem);
  const groups = demandGroups(problem);
  const hostRows = bindingHostGroups(problem);
  const flows = flowColumns(problem, groups, clusterOf, clusterCount);
  const resourceRows = clusterCount * dimensions;
  const rows = resourceRows + groups.length + hostRows.length;
  const columns = machineCount + flows.length;
  const coefficients = new Float64Array(rows * columns);
  const costs = new Float64Array(columns);
  for (let machine = 0; machine < machineCount; machine++) {
    costs[machine] = problem.price[machine]!;
    for (let dimension = 0; dimension < dimensions; dimension++) {
      const row = clusterOf[machine]! * dimensions + dimension;
      coefficients[machine * rows + row] = problem.capacity[machine * dimensions + dimension]!;
    }
    hostRows.forEach((hostRow, index) => {
      if (hostRow.machines[machine]) coefficients[machine * rows + resourceRows + groups.length + index] = hostRow.most;
    });
  }
  flows.forEach((flow, index) => {
    const column = (machineCount + index) * rows;
    const group = groups[flow.group]!;
    for (let dimension = 0; dimension < dimensions; dimension++) {
      coefficients[column + flow.cluster * dimensions + dimension] = -group.average[dimension]!;
    }
    coefficients[column + resourceRows + flow.group] = 1;
  });
  const demands = new Float64Array(rows);
  groups.forEach((group, index) => {
    demands[resourceRows + index] = group.count;
  });
  hostRows.forEach((hostRow, index) => {
    demands[resourceRows + groups.length + index] = hostRow.count;
  });
  const rowPrices = new Float64Array(rows);
  const maxPivots = 40 + rows * 8;
  // A resource that is nearly scarce has no price at the optimum, and packing would squander it. So the prices are the
  // mean of what they would be if there were a little more demand for each resource in turn.
  for (let scarce = 0; scarce < dimensions; scarce++) {
    const stressed = coefficients.slice();
    flows.forEach((flow, index) => {
      stressed[(machineCount + index) * rows + flow.cluster * dimensions + scarce]! *= stress;
    });
    const solution = solveCovering({ rows, columns, coefficients: stressed, costs, demands }, maxPivots);
    for (let row = 0; row < rows; row++) rowPrices[row]! += solution.rowPrices[row]! / dimensions;
  }
  const itemBonus = new Float64Array(itemCount);
  hostRows.forEach((hostRow, index) => {
    const bonus = rowPrices[resourceRows + groups.length + index]!;
    for (const item of hostRow.items) itemBonus[item]! += bonus;
  });
  const resourcePrices = rowPrices.slice(0, resourceRows);
  const itemValue = cheapestService(problem, flows, groups, resourcePrices);
  for (let item = 0; item < itemCount; item++) itemValue[item]! += itemBonus[item]!;
  return { clusterOf, resourcePrices, itemBonus, itemValue };
}

function cheapestService(
  problem: PackingProblem,
  flows: readonly { group: number; cluster: number }[],
  groups: readonly DemandGroup[],
  resourcePrices: Float64Array,
): Float64Array {
  const { dimensions, itemCount, requests, machineSetOf } = problem;
  const clusters: number[][] = problem.machineSets.map(() => []);
  for (const { group, cluster } of flows) clusters[groups[group]!.machineSet]!.push(cluster);
  const values = new Float64Array(itemCount);
  for (let item = 0; item < itemCount; item++) {
    let least = Number.POSITIVE_INFINITY;
    for (const cluster of clusters[machineSetOf[item]!]!) {
      let value = 0;
      for (let dimension = 0; dimension < dimensions; dimension++) {
        value += requests[0]![item * dimensions + dimension]! * resourcePrices[cluster * dimensions + dimension]!;
      }
      least = Math.min(least, value);
    }
    values[item] = Number.isFinite(least) ? least : 0;
  }
  return values;
}

function clusterMachines(problem: PackingProblem): { clusterOf: Int32Array; clusterCount: number } {
  const clusterOf = new Int32Array(problem.machineCount);
  const known = new Map<string, number>();
  for (let machine = 0; machine < problem.machineCount; machine++) {
    let column = "";
    for (const machines of problem.machineSets) column += hasBit(machines, machine) ? "1" : "0";
    let cluster = known.get(column);
    if (cluster === undefined) {
      cluster = known.size;
      known.set(column, cluster);
    }
    clusterOf[machine] = cluster;
  }
  return { clusterOf, clusterCount: known.size };
}

interface DemandGroup {
  readonly machineSet: number;
  readonly average: Float64Array;
  readonly count: number;
}

/** Items that may be bought for on the same machines, added up. */
function demandGroups(problem: PackingProblem): DemandGroup[] {
  const { dimensions, requests, counts, machineSetOf } = problem;
  const totals = problem.machineSets.map(() => new Float64Array(dimensions));
  const sizes = new Float64Array(problem.machineSets.length);
  for (let item = 0; item < problem.itemCount; item++) {
    const count = counts[item]!;
    const machineSet = machineSetOf[item]!;
    sizes[machineSet]! += count;
    for (let dimension = 0; dimension < dimensions; dimension++) {
      totals[machineSet]![dimension]! += requests[0]![item * dimensions + dimension]! * count;
    }
  }
  const groups: DemandGroup[] = [];
  totals.forEach((total, machineSet) => {
    const count = sizes[machineSet]!;
    if (count > 0) groups.push({ machineSet, average: total.map((amount) => amount / count), count });
  });
  return groups;
}

interface HostRow {
  readonly items: readonly number[];
  readonly count: number;
  readonly most: number;
  readonly machines: Uint8Array;
}

/** Pods that refuse each other's host need as many nodes as there are of them, whatever they ask for. */
function bindingHostGroups(problem: PackingProblem): HostRow[] {
  const byGroup = new Map<number, { items: number[]; count: number; most: number }>();
  problem.hostRules.forEach((rules, item) => {
    if (!rules) return;
    const members = new Set(rules.memberOf);
    const limits = [...rules.caps, ...rules.refuses.map((group) => ({ group, most: 1 }))];
    for (const { group, most } of limits) {
      if (!members.has(group)) continue;
      const row = byGroup.get(group) ?? { items: [], count: 0, most };
      row.items.push(item);
      row.count += problem.counts[item]!;
      row.most = Math.max(row.most, most);
      byGroup.set(group, row);
    }
  });
  const largest = [...byGroup.values()].sort((a, b) => b.count / b.most - a.count / a.most).slice(0, maxHostRows);
  return largest.map((row) => {
    const machines = new Uint8Array(problem.machineCount);
    for (const item of row.items) {
      const set = problem.machineSets[problem.machineSetOf[item]!]!;
      for (let machine = 0; machine < problem.machineCount; machine++) {
        if (hasBit(set, machine)) machines[machine] = 1;
      }
    }
    return { ...row, machines };
  });
}

function flowColumns(
  problem: PackingProblem,
  groups: readonly DemandGroup[],
  clusterOf: Int32Array,
  clusterCount: number,
): { group: number; cluster: number }[] {
  const flows: { group: number; cluster: number }[] = [];
  groups.forEach(({ machineSet }, group) => {
    const machines = problem.machineSets[machineSet]!;
    const seen = new Uint8Array(clusterCount);
    for (let machine = 0; machine < problem.machineCount; machine++) {
      const cluster = clusterOf[machine]!;
      if (seen[cluster] || !hasBit(machines, machine)) continue;
      seen[cluster] = 1;
      flows.push({ group, cluster });
    }
  });
  return flows;
}
