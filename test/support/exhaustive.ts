import type { SnapshotRead } from "../../src/core/api/read-objects.ts";
import type { Pod } from "../../src/core/model/pod.ts";
import type { PlanSettings } from "../../src/core/scheduling/settings.ts";
import { checkPlan } from "./check-plan.ts";
import { draftPlan } from "./draft-plan.ts";

/**
 * The least that nodes for all these pods can cost, over every way to divide the pods among nodes and every machine for
 * each. Infinite when not all of them can be placed. Only for a few pods that no rule about domains larger than a host
 * touches, and no limit: then what one node may hold does not depend on the others.
 */
export function cheapestCost(read: SnapshotRead, settings: PlanSettings): number {
  const { pendingPods } = read;
  if (pendingPods.length > 8) throw new Error(`Too many pods for an exhaustive search: ${pendingPods.length}`);
  const costs = Array.from({ length: 1 << pendingPods.length }, (_, subset) =>
    cheapestNode(
      pendingPods.filter((_, index) => subset & (1 << index)),
      read,
      settings,
    ),
  );
  const least: number[] = [0];
  for (let subset = 1; subset < costs.length; subset++) {
    least[subset] = Number.POSITIVE_INFINITY;
    // Every division has one node that holds the first pod.
    const first = subset & -subset;
    for (let node = subset; node > 0; node = (node - 1) & subset) {
      if (node & first) least[subset] = Math.min(least[subset]!, costs[node]! + least[subset ^ node]!);
    }
  }
  return least.at(-1)!;
}

/** The price of the cheapest machine that may hold exactly these pods. */
function cheapestNode(pods: readonly Pod[], { snapshot }: SnapshotRead, settings: PlanSettings): number {
  if (pods.length === 0) return 0;
  const read = { snapshot, pendingPods: pods, refusedPods: new Map(), problems: [] };
  const names = pods.map(({ name }) => name).join(" ");
  const machines = snapshot.nodePools.flatMap((pool) =>
    pool.instanceTypes.flatMap((type) =>
      type.offerings.map(({ price, requirements }) => {
        const [zone, capacityType] = [...requirements.values()].map(({ values }) => [...values][0]);
        return {
          price,
          draft: { pods: names, pool: pool.name, instanceType: type.name, zone: zone!, capacityType: capacityType! },
        };
      }),
    ),
  );
  machines.sort((a, b) => a.price - b.price);
  const isPossible = ({ draft }: (typeof machines)[number]) => {
    const plan = draftPlan(read, { nodes: [draft] });
    // How the requests add up is the draft's own business: it takes every daemon to run on every node.
    const found = checkPlan(plan, { snapshot, pending: pods, settings }).filter((one) => !one.includes(" states "));
    return found.length === 0;
  };
  return machines.find(isPossible)?.price ?? Number.POSITIVE_INFINITY;
}
