import { emptyBitset, hasBit } from "./bitset.ts";
import type { PackingProblem } from "./problem.ts";
import { type CoveringSolution, solveCovering } from "./simplex.ts";

/** More groups than this seldom bind, and every row makes the program slower. */
const maxHostRows = 6;

/** A program of more coefficients than this would take longer to solve than the packing it is to guide. */
const maxCells = 300_000;

/**
 * The packing problem with machines bought in fractions. Machines that the same items can use form a cluster and pool
 * their resources; items that can use the same machines form a group that flows into clusters. The program is small
 * however many pods there are.
 */
export class FractionalPurchase {
  readonly clusterOf: Int32Array;
  readonly hostRows: readonly HostRow[];
  private readonly problem: PackingProblem;
  private readonly clusterCount: number;
  private readonly groups: readonly DemandGroup[];
  private readonly flows: readonly Flow[];
  /** Not set when the problem is so large that compatibility was left out. */
  readonly isDivided: boolean;

  /** With `isExact` every item is a group of its own: slower, and nothing is lost to averages. */
  constructor(problem: PackingProblem, isExact: boolean) {
    this.problem = problem;
    const fine = divide(problem, isExact);
    const rows = fine.clusterCount * problem.dimensions + fine.groups.length;
    const isTooLarge = rows * (problem.machineCount + fine.flows.length) > maxCells;
    const { clusterOf, clusterCount, groups, flows } = isTooLarge ? undivided(problem) : fine;
    this.clusterOf = clusterOf;
    this.clusterCount = clusterCount;
    this.groups = groups;
    this.flows = flows;
    this.isDivided = !isTooLarge;
    this.hostRows = bindingHostGroups(problem);
  }

  get resourceRows(): number {
    return this.clusterCount * this.problem.dimensions;
  }

  /** The row that counts a host group, for its price. */
  hostRow(index: number): number {
    return this.resourceRows + this.groups.length + index;
  }

  /** How many columns say which items go where. */
  get flowCount(): number {
    return this.flows.length;
  }

  /** For each machine set the clusters its items can flow into. */
  clustersOfSets(): readonly (readonly number[])[] {
    const clusters: number[][] = this.problem.machineSets.map(() => (this.isDivided ? [] : [0]));
    if (!this.isDivided) return clusters;
    for (const { group, cluster } of this.flows) {
      const own = clusters[this.groups[group]!.machineSet]!;
      if (!own.includes(cluster)) own.push(cluster);
    }
    return clusters;
  }

  /** Resources that run out first on some machine when the demand for them grows by the factor. */
  scarceResources(factor: number): number[] {
    const { dimensions, machineCount, capacity } = this.problem;
    const scarce = new Set<number>();
    for (const { average, machineSet } of this.groups) {
      const machines = this.isDivided ? this.problem.machineSets[machineSet] : undefined;
      for (let machine = 0; machine < machineCount && scarce.size < dimensions; machine++) {
        if (machines && !hasBit(machines, machine)) continue;
        const shares = Array.from(
          average,
          (amount, index) => amount / Math.max(capacity[machine * dimensions + index]!, 1e-9),
        );
        const most = Math.max(...shares);
        shares.forEach((share, index) => {
          if (share > 0 && share * factor >= most) scarce.add(index);
        });
      }
    }
    return [...scarce].sort((a, b) => a - b);
  }

  /** Solves the program with the demand for each resource multiplied by its factor. */
  solve(factors: readonly number[]): CoveringSolution {
    const { dimensions, machineCount, capacity, price } = this.problem;
    const rows = this.resourceRows + this.groups.length + this.hostRows.length;
    const columns = machineCount + this.flows.length;
    const coefficients = new Float64Array(rows * columns);
    const costs = new Float64Array(columns);
    for (let machine = 0; machine < machineCount; machine++) {
      costs[machine] = price[machine]!;
      const start = machine * rows;
      for (let dimension = 0; dimension < dimensions; dimension++) {
        coefficients[start + this.clusterOf[machine]! * dimensions + dimension] =
          capacity[machine * dimensions + dimension]!;
      }
      this.hostRows.forEach(({ machines, most }, index) => {
        if (machines[machine]) coefficients[start + this.hostRow(index)] = most;
      });
    }
    this.flows.forEach(({ group, cluster }, index) => {
      const start = (machineCount + index) * rows;
      for (let dimension = 0; dimension < dimensions; dimension++) {
        coefficients[start + cluster * dimensions + dimension] =
          -this.groups[group]!.average[dimension]! * factors[dimension]!;
      }
      coefficients[start + this.resourceRows + group] = 1;
    });
    const demands = new Float64Array(rows);
    this.groups.forEach(({ count }, index) => {
      demands[this.resourceRows + index] = count;
    });
    this.hostRows.forEach(({ count }, index) => {
      demands[this.hostRow(index)] = count;
    });
    return solveCovering({ rows, columns, coefficients, costs, demands }, 40 + rows * 8);
  }
}

interface Division {
  readonly clusterOf: Int32Array;
  readonly clusterCount: number;
  readonly groups: readonly DemandGroup[];
  readonly flows: readonly Flow[];
}

function divide(problem: PackingProblem, isExact: boolean): Division {
  const { clusterOf, clusterCount } = clusterMachines(problem);
  const groups = isExact ? itemGroups(problem) : demandGroups(problem);
  return { clusterOf, clusterCount, groups, flows: flowColumns(problem, groups, clusterOf, clusterCount) };
}

/** All machines as one cluster and all items as one group: rough, and small whatever the items ask for. */
function undivided(problem: PackingProblem): Division {
  const anywhere = { ...problem, machineSetOf: new Int32Array(problem.itemCount), machineSets: [emptyBitset(0)] };
  return {
    clusterOf: new Int32Array(problem.machineCount),
    clusterCount: 1,
    groups: demandGroups(anywhere),
    flows: [{ group: 0, cluster: 0 }],
  };
}

interface Flow {
  readonly group: number;
  readonly cluster: number;
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

function itemGroups({ dimensions, requests, counts, machineSetOf, itemCount }: PackingProblem): DemandGroup[] {
  return Array.from({ length: itemCount }, (_, item) => ({
    machineSet: machineSetOf[item]!,
    average: requests[0]!.slice(item * dimensions, (item + 1) * dimensions),
    count: counts[item]!,
  }));
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

/** Pods of which a host may hold only so many: they need as many nodes as that takes. */
export interface HostRow {
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
): Flow[] {
  const flows: Flow[] = [];
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
