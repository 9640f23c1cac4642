// What no valid plan of a scenario can cost less than: node bench/bound.ts SCENARIO...
import { parseArgs } from "node:util";
import { openScenario, type ScenarioFile } from "./catalogue.ts";
import { type Demand, demandsOf } from "./demands.ts";
import { LinearProgram } from "./linear-program.ts";
import { type Machine, machinesFor } from "./machines.ts";

export interface Bounds {
  /**
   * The cost of the cheapest fractional purchase: machines and pods may be cut into pieces. It keeps the requirements of
   * the pools, the requests and node selectors of the pods, and that the largest group of pods that refuse each other's
   * host needs as many machines as it has pods. It drops everything else that a plan must respect, so the cheapest valid
   * plan is one of the purchases that it chooses among.
   */
  readonly boundPerHour: number;
  /**
   * Knows besides that a machine runs whole pods. Let m be how many pods of one shape a machine holds when it holds
   * nothing else. Every machine of a real plan has at most m of them, and at most one pod of a group whose members
   * refuse each other's host; so in the sum over all its machines of a type there are at most m pods of the shape, and
   * one of the group, for each machine bought. A purchase that obeys that may still cut machines and pods into pieces,
   * so every valid plan is still among them, and the cheapest is a lower bound. With m = 0 the shape stays off the
   * machine. For pods of one shape it comes to the lowest price per whole pod, times the pods.
   */
  readonly fitBoundPerHour: number;
}

export function boundsOf({ scenario, catalogue }: ScenarioFile): Bounds {
  const demands = demandsOf(scenario.pods);
  const machines = machinesFor(scenario.nodePools, catalogue, demands);
  return {
    boundPerHour: fractionalPurchase(machines, demands, { hasWholePods: false }),
    fitBoundPerHour: fractionalPurchase(machines, demands, { hasWholePods: true }),
  };
}

interface Relaxation {
  readonly hasWholePods: boolean;
}

function fractionalPurchase(
  machines: readonly Machine[],
  demands: readonly Demand[],
  { hasWholePods }: Relaxation,
): number {
  const program = new LinearProgram();
  const bought = machines.map(({ price }) => program.addVariable(price));
  /** For each demand the variable of every machine that may serve it: the number of its pods there. */
  const served = demands.map((demand, index) => {
    const places = new Map<Machine, number>();
    for (const machine of machines) {
      if (!machine.admits[index] || (hasWholePods && mostPods(demand, machine) === 0)) continue;
      places.set(machine, program.addVariable(0));
    }
    if (places.size === 0) throw new Error(`Cannot bound the cost: no machine serves ${demand.name}`);
    program.addExactly(
      [...places.values()].map((pods) => [pods, 1] as const),
      demand.count,
    );
    return { demand, places };
  });
  machines.forEach((machine, index) => {
    const here = served.flatMap(({ demand, places }) => {
      const pods = places.get(machine);
      return pods === undefined ? [] : [{ demand, pods }];
    });
    const perMachine = (limit: number) => [bought[index] ?? 0, -limit] as const;
    machine.size.forEach((size, resource) => {
      const used = here.map(({ demand, pods }) => [pods, demand.size[resource] ?? 0] as const);
      program.addAtMost([perMachine(size), ...used], 0);
    });
    if (!hasWholePods) return;
    for (const { demand, pods } of here) program.addAtMost([perMachine(mostPods(demand, machine)), [pods, 1]], 0);
    for (const members of Map.groupBy(here.flatMap(expandGroups), ({ group }) => group).values()) {
      program.addAtMost([perMachine(1), ...members.map(({ pods }) => [pods, 1] as const)], 0);
    }
  });
  if (!hasWholePods)
    program.addAtMost(
      bought.map((variable) => [variable, -1] as const),
      -largestGroup(demands),
    );
  return program.minimize();
}

function expandGroups({ demand, pods }: { demand: Demand; pods: number }): { group: string; pods: number }[] {
  return demand.groups.map((group) => ({ group, pods }));
}

/** How many pods a machine holds when it holds nothing else. */
function mostPods({ size, groups }: Demand, machine: Machine): number {
  const most = machine.size.map((available, resource) => {
    const needed = size[resource] ?? 0;
    // The sizes are quotients of whole numbers: an exact fit must not fall victim to rounding.
    return needed === 0 ? Number.POSITIVE_INFINITY : Math.floor(available / needed + 1e-9);
  });
  return Math.min(...most, groups.length > 0 ? 1 : Number.POSITIVE_INFINITY);
}

function largestGroup(demands: readonly Demand[]): number {
  const sizes = new Map<string, number>();
  for (const { groups, count } of demands) {
    for (const group of groups) sizes.set(group, (sizes.get(group) ?? 0) + count);
  }
  return Math.max(0, ...sizes.values());
}

if (import.meta.main) {
  const { positionals } = parseArgs({ allowPositionals: true });
  if (positionals.length === 0) {
    console.error("usage: node bench/bound.ts SCENARIO...");
    process.exitCode = 2;
  }
  for (const path of positionals) {
    const file = openScenario(path);
    console.log(JSON.stringify({ scenario: file.scenario.name, ...boundsOf(file) }));
  }
}
