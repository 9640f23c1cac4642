import type { ClusterState } from "../cluster/cluster-state.ts";
import type { InstanceType } from "../model/instance-type.ts";
import { nodePrice } from "../model/node-price.ts";
import type { PoolDisruption } from "../model/pool-disruption.ts";
import { disturbanceOf } from "./disturbance.ts";

/** What a pool costs and what taking away all of it would disturb: the measure of its moves. */
export interface PoolTotals {
  /** Dollars an hour. */
  readonly cost: number;
  readonly disturbance: number;
}

/** Of all machines of a pool, candidates or not. */
export function totalsOf(cluster: ClusterState, poolName: string, instanceTypes: readonly InstanceType[]): PoolTotals {
  let cost = 0;
  let disturbance = 0;
  for (const claim of cluster.claimsOfPool(poolName)) {
    const [node] = cluster.nodesOf(claim);
    cost += nodePrice(claim.labels, instanceTypes) || 0;
    disturbance += disturbanceOf(node === undefined ? [] : cluster.podsOnNode(node.name));
  }
  return { cost, disturbance };
}

/** Under WhenEmptyOrUnderutilized: what saves less than a quarter of the average for its disturbance is not worth it. */
const leastScore = 0.25;

/**
 * Dollars an hour that a move must save for each unit of disturbance in the pool. Without a measure no saving is enough
 * for Balanced, and any is for the others.
 */
export function leastSaving(
  { consolidationPolicy, balancedThreshold }: PoolDisruption,
  { cost, disturbance }: PoolTotals,
): number {
  const isBalanced = consolidationPolicy === "Balanced";
  if (cost <= 0 || disturbance <= 0) return isBalanced ? Number.POSITIVE_INFINITY : 0;
  return ((isBalanced ? balancedThreshold : leastScore) * cost) / disturbance;
}

/** The share of the pool's cost that a move saves, over the share of all disturbance that it is. */
export function scoreOf(move: { readonly savings: number; readonly disturbance: number }, totals: PoolTotals): number {
  if (move.savings <= 0 || totals.cost <= 0 || totals.disturbance <= 0) return 0;
  return move.savings / totals.cost / (move.disturbance / totals.disturbance);
}
