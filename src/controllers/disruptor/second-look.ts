import { findDestinations } from "../../core/disruption/consolidation.ts";
import type { InstanceType } from "../../core/model/instance-type.ts";
import { capacityTypeLabel, zoneLabel } from "../../core/model/labels.ts";
import { findInstanceType } from "../../core/model/node-price.ts";
import { has } from "../../core/model/requirements.ts";
import type { NodeToLaunch } from "../../ports/planner.ts";
import type { Order } from "./command.ts";
import type { Look } from "./look.ts";
import { isApproved, type Measures, type Weighed } from "./measures.ts";
import type { Simulation } from "./simulation.ts";

export interface SecondLookTools {
  readonly simulation: Simulation;
  readonly measures: Measures;
  readonly reject: (order: Order, because: string, weighed: readonly Weighed[]) => void;
}

/** Of these orders, those that are still worth it, with what they save now, and whose pods still have a place. */
export async function lookAgain(
  orders: readonly Order[],
  look: Look,
  tools: SecondLookTools,
): Promise<readonly Order[]> {
  const { simulation, measures, reject } = tools;
  const worthy = orders.flatMap((order) => {
    const priced = reprice(order, look);
    if (typeof priced === "string") {
      reject(order, priced, []);
      return [];
    }
    const weighed = measures.weigh(priced.candidates, priced.savings ?? 0);
    const poor = weighed.find((one) => !isApproved(one));
    if (poor === undefined) return [priced];
    const threshold = poor.pool.disruption.balancedThreshold;
    reject(order, `score ${poor.score.toFixed(2)} < threshold ${threshold.toFixed(2)}`, weighed);
    return [];
  });
  const destinations = new Set(findDestinations(look.view));
  for (const { node } of worthy.flatMap(({ candidates }) => candidates)) destinations.delete(node.name);
  const confirmed: Order[] = [];
  // All at once if possible; where something is amiss, by halves, until it is found.
  const sift = async (some: readonly Order[]): Promise<void> => {
    const objection = await simulation.objectionTo([...confirmed, ...some], destinations);
    const [only] = some;
    if (objection === undefined) confirmed.push(...some);
    else if (some.length === 1 && only !== undefined) reject(only, objection, []);
    else {
      const middle = Math.ceil(some.length / 2);
      await sift(some.slice(0, middle));
      await sift(some.slice(middle));
    }
  };
  if (worthy.length > 0) await sift(worthy);
  return confirmed;
}

/** With what it costs and saves now; in words why it is not worth it any more. */
function reprice(order: Order, { view }: Look): Order | string {
  const launches: NodeToLaunch[] = [];
  for (const launch of order.launches) {
    const price = priceNow(launch, view.instanceTypesOf(launch.poolName));
    if (price === undefined) return `${launch.instanceType} cannot be bought in ${launch.zone} any more`;
    launches.push({ ...launch, price });
  }
  const before = order.candidates.reduce((sum, { price }) => sum + price, 0);
  const savings = before - launches.reduce((sum, { price }) => sum + price, 0);
  if (savings < (order.savings ?? 0) / 2) return "it would save less than half of what it would have";
  return { ...order, launches, savings };
}

function priceNow(
  { instanceType, zone, capacityType }: NodeToLaunch,
  types: readonly InstanceType[],
): number | undefined {
  const wanted = new Map([
    [zoneLabel, zone],
    [capacityTypeLabel, capacityType],
  ]);
  return findInstanceType(types, instanceType)?.offerings.find(
    ({ isAvailable, requirements }) =>
      isAvailable &&
      [...wanted].every(([key, value]) => {
        const requirement = requirements.get(key);
        return requirement !== undefined && has(requirement, value);
      }),
  )?.price;
}
