import type { ClusterState } from "../cluster/cluster-state.ts";
import { isConditionTrue, readyCondition } from "../model/condition.ts";
import { isHeld } from "../model/do-not-disrupt.ts";
import { evictionCost } from "../model/eviction-cost.ts";
import { replacesAnnotation } from "../model/move-annotations.ts";
import type { NodeClaim } from "../model/node-claim.ts";
import type { NodePoolObject } from "../model/node-pool-object.ts";
import type { Pod } from "../model/pod.ts";
import { isDaemonPod, isFinished, isReschedulable } from "../model/pod-lifecycle.ts";

/** Whether the pool is one whose nodes are made now, whatever pods there are. */
export function isGrowing(pool: NodePoolObject): boolean {
  return (
    pool.replicas !== undefined &&
    pool.pool !== undefined &&
    pool.deletedAt === undefined &&
    isConditionTrue(pool.status, readyCondition)
  );
}

export interface StaticCount {
  /** Claims of the pool, those that go included: each holds a machine until it is gone. */
  readonly claims: readonly NodeClaim[];
  /** Claims that were asked for and are not among those yet. */
  readonly onTheirWay: number;
}

export interface StaticGrowth {
  /** How many nodes are lacking. */
  readonly lacking: number;
  /** How many of them the limit of the pool lets us make now. */
  readonly allowed: number;
}

export function planGrowth(
  { replicas = 0, limits }: Pick<NodePoolObject, "replicas" | "limits">,
  { claims, onTheirWay }: StaticCount,
): StaticGrowth {
  const lacking = Math.max(0, replicas - stayingOf(claims).length - onTheirWay);
  const room = (limits.get("nodes") ?? Number.POSITIVE_INFINITY) - claims.length - onTheirWay;
  return { lacking, allowed: Math.max(0, Math.min(lacking, room)) };
}

/** Whoever is to take the place of one that is still there does not count beside it. */
function stayingOf(claims: readonly NodeClaim[]): readonly NodeClaim[] {
  const staying = claims.filter(({ deletedAt }) => deletedAt === undefined);
  const names = new Set(staying.map(({ name }) => name));
  return staying.filter(
    ({ annotations }) =>
      !annotations
        .get(replacesAnnotation)
        ?.split(",")
        .some((name) => names.has(name)),
  );
}

/** Claims that a static pool has too many, those first that nobody will miss. */
export function chooseSurplus(cluster: ClusterState, pool: NodePoolObject, now: number): readonly NodeClaim[] {
  if (pool.replicas === undefined || pool.deletedAt !== undefined) return [];
  const claims = stayingOf(cluster.claimsOfPool(pool.name));
  const surplus = claims.length - pool.replicas;
  if (surplus <= 0) return [];
  return claims
    .map((claim) => ({ claim, ...judgeLoss(cluster, claim, now) }))
    .sort((left, right) => left.rank - right.rank || left.cost - right.cost)
    .slice(0, surplus)
    .map(({ claim }) => claim);
}

interface Loss {
  /** 0 for what was never launched, 1 for empty nodes, 2 for nodes with pods, 3 where one of them wants to stay. */
  readonly rank: number;
  readonly cost: number;
}

function judgeLoss(cluster: ClusterState, claim: NodeClaim, now: number): Loss {
  if (claim.providerId === "") return { rank: 0, cost: 0 };
  const pods = podsOf(cluster, claim);
  if (pods.some((pod) => isHeld(pod, now))) return { rank: 3, cost: costOf(claim, pods, now) };
  if (pods.every(isDaemonPod)) return { rank: 1, cost: 0 };
  return { rank: 2, cost: costOf(claim, pods, now) };
}

function podsOf(cluster: ClusterState, claim: NodeClaim): readonly Pod[] {
  const [node] = cluster.nodesOf(claim);
  return node === undefined ? [] : cluster.podsOnNode(node.name).filter((pod) => !isFinished(pod));
}

/** A node that will soon expire is no great loss. */
function costOf({ expireAfter, createdAt }: NodeClaim, pods: readonly Pod[], now: number): number {
  const left = expireAfter === undefined ? 1 : 1 - (now - createdAt) / expireAfter;
  const cost = pods.filter(isReschedulable).reduce((sum, pod) => sum + evictionCost(pod), 0);
  return cost * Math.max(0, Math.min(left, 1));
}
