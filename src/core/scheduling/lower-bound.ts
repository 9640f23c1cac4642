import { type Lot, packingProblem } from "./lots.ts";
import type { Market } from "./market.ts";
import { addBit, emptyBitset } from "./packing/bitset.ts";
import { lowerBound as packingBound } from "./packing/lower-bound.ts";
import type { World } from "./world.ts";

/** How often item values are mended; a bound is only worth more time when the plan is. */
const repairs = 6;

/**
 * What the pods on new nodes must cost at least, whatever plan is made for them: they may be on any machine that would
 * take them, wherever topology rules have put them in this one.
 */
export function lowerBound(world: World, market: Market): number {
  const { machines } = world.machines;
  const lots: Lot[] = [];
  const sets = new Map<string, ReturnType<typeof emptyBitset>>();
  for (const { placed, machine } of world.openNodes) {
    if (!machine) continue;
    for (const { staged, count } of placed) {
      let set = sets.get(staged.allowedKey);
      if (!set) {
        set = emptyBitset(machines.length);
        for (const { index, group } of machines) if (staged.allowedGroups[group.index]) addBit(set, index);
        sets.set(staged.allowedKey, set);
      }
      const choice = { poolRank: 0, isReserved: false, machines: set };
      lots.push({
        parts: [{ staged, count: 1 }],
        count,
        requests: staged.requests,
        choice,
        host: staged.rules.host,
        cell: undefined,
      });
    }
  }
  if (lots.length === 0) return 0;
  // What every node is thought to cost on top of its price is not paid.
  const price = Float64Array.from(machines, ({ row }) => row.offering.price);
  const { problem } = packingProblem(
    lots,
    { ...market.table, price },
    new Float64Array(0),
    world.ruleBook.hostGroupCount,
  );
  return packingBound(problem, world.settings.maxRounds > 1 ? repairs : 0);
}
