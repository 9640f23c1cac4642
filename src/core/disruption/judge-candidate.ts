import type { ClusterState } from "../cluster/cluster-state.ts";
import { isConditionTrue } from "../model/condition.ts";
import { type DisruptionBudget, isEvictable, judgeEviction, mustStay } from "../model/disruption-budget.ts";
import { holdAnnotationOf, holdOfNode, isHeld } from "../model/do-not-disrupt.ts";
import { canSurge } from "../model/drain-strategy.ts";
import type { InstanceType } from "../model/instance-type.ts";
import { capacityTypeLabel, initializedLabel, instanceTypeLabel, nodePoolLabel, zoneLabel } from "../model/labels.ts";
import { replacesAnnotation } from "../model/move-annotations.ts";
import type { NodeClaim } from "../model/node-claim.ts";
import type { NodeObject } from "../model/node-object.ts";
import type { NodePoolObject } from "../model/node-pool-object.ts";
import { nodePrice } from "../model/node-price.ts";
import type { Pod } from "../model/pod.ts";
import { isActive, isReschedulable } from "../model/pod-lifecycle.ts";
import type { Blocker, Candidate } from "./candidate.ts";
import { disturbanceOf } from "./disturbance.ts";

/** What is known when nodes are chosen. */
export interface DisruptionView {
  readonly cluster: ClusterState;
  /** None while the cloud does not say. */
  readonly instanceTypesOf: (poolName: string) => readonly InstanceType[];
  readonly budgets: readonly DisruptionBudget[];
  readonly now: number;
  /** Whether a claim is going already, by a decision that is being carried out. */
  readonly isBusy: (claimName: string) => boolean;
}

/** Graceful heeds every pod. Eventual does not where the claim says how long its node waits for them at most. */
export type DisruptionMode = "graceful" | "eventual";

/** Whether a node could go by a decision of ours, and if not, why. */
export function judgeCandidate(claim: NodeClaim, view: DisruptionView, mode: DisruptionMode): Candidate | Blocker {
  const { cluster, instanceTypesOf } = view;
  if (view.isBusy(claim.name)) return { kind: "going" };
  const [node] = cluster.nodesOf(claim);
  if (node === undefined) return { kind: "no-node" };
  const blocker = blockerOfNode(claim, node, cluster);
  if (blocker !== undefined) return blocker;
  const pool = poolOf(node, view);
  if ("kind" in pool) return pool;
  const pods = cluster.podsOnNode(node.name);
  const podBlocker = blockerAmongPods(claim, node, { view, mode });
  if (podBlocker !== undefined) return podBlocker;
  const price = nodePrice(node.labels, instanceTypesOf(pool.name)) ?? 0;
  return {
    claim,
    node,
    pool,
    instanceType: node.labels.get(instanceTypeLabel) ?? "",
    zone: node.labels.get(zoneLabel) ?? "",
    capacityType: node.labels.get(capacityTypeLabel) ?? "",
    price: Number.isNaN(price) ? 0 : price,
    pods: podsToMove(pods, view),
    disturbance: disturbanceOf(pods),
  };
}

function blockerOfNode(claim: NodeClaim, node: NodeObject, cluster: ClusterState): Blocker | undefined {
  if (node.labels.get(initializedLabel) !== "true") return { kind: "not-initialized" };
  const isGoing = claim.deletedAt !== undefined || node.deletedAt !== undefined;
  if (isGoing || isConditionTrue(claim, "InstanceTerminating")) return { kind: "going" };
  if (isNominated(claim, node, cluster)) return { kind: "nominated" };
  const claimNames = replacedBy(claim).filter((name) => cluster.claims.get(name) !== undefined);
  if (claimNames.length > 0) return { kind: "replaces", claimNames };
  const annotation = holdOfNode(node);
  return annotation === undefined ? undefined : { kind: "node-held", annotation };
}

/** Whether pods are meant for the node that are not there yet. */
export function isNominated(claim: NodeClaim, node: NodeObject, cluster: ClusterState): boolean {
  return cluster.intendedPods.podsOf(claim.name).size > 0 || cluster.podsNominatedTo(node.name).some(isActive);
}

/** Names of the claims that this one takes the place of, gone or not. */
function replacedBy({ annotations }: NodeClaim): readonly string[] {
  const names = (annotations.get(replacesAnnotation) ?? "").split(",").map((name) => name.trim());
  return names.filter((name) => name !== "");
}

function poolOf(node: NodeObject, { cluster, instanceTypesOf }: DisruptionView): NodePoolObject | Blocker {
  const poolName = node.labels.get(nodePoolLabel);
  if (poolName === undefined) return { kind: "no-pool" };
  const pool = cluster.pools.get(poolName);
  if (pool === undefined) return { kind: "pool-unknown", poolName };
  if (pool.disruption.isPaused) return { kind: "pool-paused", poolName };
  return instanceTypesOf(poolName).length === 0 ? { kind: "no-instance-types", poolName } : pool;
}

/** Of these pods on a node that goes, those that need another place. Whoever stays to the end needs none before it. */
export function podsToMove(pods: readonly Pod[], { budgets, now }: Pick<DisruptionView, "budgets" | "now">) {
  return pods.filter((pod) => isReschedulable(pod) && !mustStay(pod, budgets, now));
}

/** What of the pods on the node keeps it. */
export function blockerAmongPods(
  claim: NodeClaim,
  node: NodeObject,
  { view, mode }: { readonly view: Pick<DisruptionView, "cluster" | "budgets" | "now">; readonly mode: DisruptionMode },
): Blocker | undefined {
  const isBoundByPods = mode === "graceful" || claim.terminationGracePeriod === undefined;
  return isBoundByPods ? blockerAmong(view.cluster.podsOnNode(node.name), view) : undefined;
}

/** The annotation counts on every pod that runs, those of DaemonSets and of the node itself included. */
function blockerAmong(
  pods: readonly Pod[],
  { budgets, now }: Pick<DisruptionView, "budgets" | "now">,
): Blocker | undefined {
  const held = pods.find((pod) => isActive(pod) && isHeld(pod, now));
  if (held !== undefined) return { kind: "pod-held", pod: keyOf(held), annotation: holdAnnotationOf(held) };
  for (const pod of pods) {
    if (!isEvictable(pod, now) || canSurge(pod)) continue;
    const verdict = judgeEviction(pod, budgets);
    if (verdict.kind === "several")
      return { kind: "pod-budgets", pod: keyOf(pod), budgets: verdict.budgets.map(keyOf) };
    if (verdict.kind === "exhausted") {
      const { budget } = verdict;
      return { kind: "pod-budget", pod: keyOf(pod), budget: keyOf(budget), isForever: budget.neverAllows };
    }
  }
  return undefined;
}

function keyOf({ namespace, name }: { readonly namespace: string; readonly name: string }): string {
  return `${namespace}/${name}`;
}
