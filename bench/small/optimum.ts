import type { ScenarioFile } from "../catalogue.ts";
import { LinearProgram } from "../linear-program.ts";
import { allMachines, undominated } from "../machines.ts";
import { type Load, numberOfLoads, usefulLoads } from "./loads.ts";
import { type PodClass, podClassesOf } from "./pod-class.ts";

const mostLoads = 40_000;
const mostSeconds = 5;
/** Where no rule is about zones, all of them are one. */
const anywhere = "";

/**
 * The least that a plan can cost that keeps all rules and honours all preferences. Undefined where an integer program
 * cannot say so: there are nodes already, a rule is about pods of other workloads, there are too many ways to fill a
 * machine, or the solver takes too long.
 */
export function cheapestPlan({ scenario, catalogue }: ScenarioFile): number | undefined {
  const classes = podClassesOf(scenario.pods);
  if (classes === undefined || (scenario.objects ?? []).length > 0 || numberOfLoads(classes) > mostLoads)
    return undefined;
  const machines = allMachines(
    scenario.nodePools,
    catalogue,
    classes.map(({ spec }) => spec),
  );
  const loadsByZone = new Map<string, readonly Load[]>();
  const byZone = Map.groupBy(machines, ({ zone }) => (classes.some(hasZoneRule) ? zone : anywhere));
  for (const [zone, there] of byZone) loadsByZone.set(zone, usefulLoads(classes, undominated(there)));
  return purchase(classes, loadsByZone).minimizeWithin(mostSeconds);
}

function hasZoneRule({ zoneSkew, isInOneZone, mostPerZone }: PodClass): boolean {
  return zoneSkew !== undefined || isInOneZone || Number.isFinite(mostPerZone);
}

/** How many machines with each load, so that they have room for all pods, and those over the zones as the rules say. */
function purchase(classes: readonly PodClass[], loadsByZone: ReadonlyMap<string, readonly Load[]>): LinearProgram {
  const program = new LinearProgram();
  const bought = Array.from(loadsByZone.values(), (loads) =>
    loads.map(({ counts, price }) => ({ counts, variable: program.addWholeVariable(price) })),
  );
  for (const [index, podClass] of classes.entries()) {
    const inZones = bought.map((loads) => {
      const pods = hasZoneRule(podClass) ? program.addWholeVariable(0) : program.addVariable(0);
      const room = loads.map(({ counts, variable }) => [variable, -(counts[index] ?? 0)] as const);
      program.addAtMost([[pods, 1], ...room.filter(([, factor]) => factor !== 0)], 0);
      return pods;
    });
    program.addExactly(
      inZones.map((pods) => [pods, 1] as const),
      podClass.count,
    );
    keepZoneRules(program, inZones, podClass);
  }
  return program;
}

function keepZoneRules(
  program: LinearProgram,
  inZones: readonly number[],
  { count, zoneSkew, isInOneZone, mostPerZone }: PodClass,
): void {
  for (const pods of inZones) {
    if (Number.isFinite(mostPerZone)) program.addAtMost([[pods, 1]], mostPerZone);
    for (const others of inZones) {
      if (zoneSkew === undefined || pods === others) continue;
      program.addAtMost(
        [
          [pods, 1],
          [others, -1],
        ],
        zoneSkew,
      );
    }
  }
  if (!isInOneZone) return;
  const isThere = inZones.map((pods) => {
    const chosen = program.addWholeVariable(0);
    program.addAtMost(
      [
        [pods, 1],
        [chosen, -count],
      ],
      0,
    );
    return [chosen, 1] as const;
  });
  program.addExactly(isThere, 1);
}
