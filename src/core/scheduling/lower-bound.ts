import type { GroupSet } from "./group-set.ts";
import { type Lot, packingProblem } from "./lots.ts";
import type { MachineGroup } from "./machine-groups.ts";
import type { Machine } from "./machines.ts";
import { lowerBound as packingBound } from "./packing/lower-bound.ts";
import type { World } from "./world.ts";

/** How often item values are mended; a bound is only worth more time when the plan is. */
const repairs = 6;

/**
 * What the pods on new nodes must cost at least, whatever plan is made for them: they may be on any machine that would
 * take them, wherever topology rules have put them in this one.
 */
export function lowerBound(world: World): number {
  const machinesFor = machineFinder(world);
  const lots: Lot[] = [];
  for (const { placed, machine } of world.openNodes) {
    if (!machine) continue;
    for (const { staged, count } of placed) {
      lots.push({
        parts: [{ staged, count: 1 }],
        count,
        requests: staged.requests,
        choice: { poolRank: 0, isReserved: false, machines: machinesFor(staged.allowedGroups) },
        host: staged.rules.host,
        cell: undefined,
      });
    }
  }
  if (lots.length === 0) return 0;
  const { problem } = packingProblem(lots, {
    budgets: new Float64Array(0),
    usesOf: () => [],
    profileOf: (poolName) => world.profileOf(poolName),
    // What every node is thought to cost on top of its price is not paid.
    priceOf: ({ row }) => row.offering.price,
    hostGroupCount: world.ruleBook.hostGroupCount,
  });
  return packingBound(problem, world.settings.maxRounds > 1 ? repairs : 0);
}

/**
 * All machines of the allowed groups. Of groups that only differ in how open labels were settled one stands for all:
 * some plan might settle them so that pods share a node which do not share one here.
 */
function machineFinder(world: World): (allowed: GroupSet) => readonly Machine[] {
  const standIns = new Map<readonly Float64Array[], MachineGroup>();
  for (const group of world.groups) {
    const capacities = world.machines.capacitiesOf(group);
    if (!standIns.has(capacities)) standIns.set(capacities, group);
  }
  const known = new Map<GroupSet, readonly Machine[]>();
  return (allowed) => {
    let machines = known.get(allowed);
    if (!machines) {
      const groups = new Set<MachineGroup>();
      for (const group of world.groups) {
        if (allowed.has(group)) groups.add(standIns.get(world.machines.capacitiesOf(group))!);
      }
      machines = [...groups].flatMap((group) => world.machines.inGroup(group));
      known.set(allowed, machines);
    }
    return machines;
  };
}
