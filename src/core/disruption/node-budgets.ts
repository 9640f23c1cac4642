import type { ClusterState } from "../cluster/cluster-state.ts";
import { findCondition, isConditionTrue } from "../model/condition.ts";
import { isWithinWindow } from "../model/cron-schedule.ts";
import { initializedLabel } from "../model/labels.ts";
import { isNodeReady } from "../model/node-object.ts";
import type { NodePoolObject } from "../model/node-pool-object.ts";
import type { DisruptionReason, NodeBudget } from "../model/pool-disruption.ts";

/** The word for no bound that users know from metrics. */
const unlimited = 2_147_483_647;

export interface PoolCount {
  /** Initialized ones whose machine still runs. */
  readonly nodes: number;
  /** Of them, those that cannot be counted on: not ready, or going. */
  readonly disrupting: number;
}

export interface GoingCount {
  readonly nodes: number;
  /** Those that go by our decision or are about to. */
  readonly going: readonly { readonly claimName: string; readonly reason: string }[];
}

export interface Allowance {
  /** How many nodes may be going at once. */
  readonly allowed: number;
  /** How many more may go now. */
  readonly usable: number;
  /** What allows no more than that; undefined when nothing bounds it. */
  readonly because: NodeBudget | undefined;
}

/** How many nodes of a pool may go for a reason: what the strictest of its budgets that count now says. */
export function nodesAllowed(
  { disruption }: Pick<NodePoolObject, "disruption">,
  reason: DisruptionReason,
  { nodes, disrupting, now }: PoolCount & { readonly now: number },
): Allowance {
  let allowed = unlimited;
  let because: NodeBudget | undefined;
  for (const budget of disruption.budgets) {
    if (budget.reasons !== undefined && !budget.reasons.has(reason)) continue;
    const most = allowedBy(budget, nodes, now);
    if (most >= allowed) continue;
    allowed = most;
    because = budget;
  }
  return { allowed, usable: Math.max(0, allowed - disrupting), because };
}

/**
 * A budget of the pool that lets fewer nodes go for this reason than are going by our decision, of those that it
 * governs. It has become stricter since they were chosen.
 */
export function overdrawnBudget(
  { disruption }: Pick<NodePoolObject, "disruption">,
  reason: DisruptionReason,
  { nodes, going, now }: GoingCount & { readonly now: number },
): NodeBudget | undefined {
  return disruption.budgets.find((budget) => {
    const { reasons } = budget;
    if (reasons !== undefined && !reasons.has(reason)) return false;
    const governed = going.filter((one) => reasons === undefined || (reasons as ReadonlySet<string>).has(one.reason));
    return governed.length > allowedBy(budget, nodes, now);
  });
}

function allowedBy({ nodes: bound, window, problem }: NodeBudget, nodes: number, now: number): number {
  if (problem !== undefined) return 0;
  if (window !== undefined && !isWithinWindow(window, now)) return unlimited;
  return bound.kind === "count" ? bound.count : Math.ceil((nodes * bound.percent) / 100);
}

export function countPool(cluster: ClusterState, poolName: string): PoolCount {
  let nodes = 0;
  let disrupting = 0;
  for (const claim of cluster.claimsOfPool(poolName)) {
    const [node] = cluster.nodesOf(claim);
    if (node?.labels.get(initializedLabel) !== "true" || isConditionTrue(claim, "InstanceTerminating")) continue;
    nodes++;
    const isGoing = claim.deletedAt !== undefined || node.deletedAt !== undefined;
    if (isGoing || isConditionTrue(claim, "DisruptionReason") || !isNodeReady(node)) disrupting++;
  }
  return { nodes, disrupting };
}

export function countGoing(cluster: ClusterState, poolName: string): GoingCount {
  let nodes = 0;
  const going: { readonly claimName: string; readonly reason: string }[] = [];
  for (const claim of cluster.claimsOfPool(poolName)) {
    const [node] = cluster.nodesOf(claim);
    if (node?.labels.get(initializedLabel) !== "true" || isConditionTrue(claim, "InstanceTerminating")) continue;
    nodes++;
    const mark = findCondition(claim, "DisruptionReason");
    if (mark?.status === "True") going.push({ claimName: claim.name, reason: mark.reason });
  }
  return { nodes, going };
}

/** As in "the budget of 10% for Drifted". */
export function describeBudget({ nodes, reasons, problem }: NodeBudget): string {
  const amount = nodes.kind === "count" ? `${nodes.count}` : `${nodes.percent}%`;
  const governed = reasons === undefined ? "" : ` for ${[...reasons].join(", ")}`;
  return problem === undefined ? `the budget of ${amount}${governed}` : `a malformed budget${governed}: ${problem}`;
}
