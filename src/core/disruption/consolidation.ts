import type { ClusterState } from "../cluster/cluster-state.ts";
import { isConditionTrue } from "../model/condition.ts";
import type { InstanceType } from "../model/instance-type.ts";
import { capacityTypeLabel, initializedLabel, nodePoolLabel, zoneLabel } from "../model/labels.ts";
import type { NodeClaim } from "../model/node-claim.ts";
import type { NodeObject } from "../model/node-object.ts";
import { findInstanceType } from "../model/node-price.ts";
import { settledAt } from "../model/settling.ts";
import type { Candidate } from "./candidate.ts";
import { isEmpty } from "./emptiness.ts";
import type { DisruptionView } from "./judge-candidate.ts";

/** Why a node is not looked at for a cheaper place of its pods. */
export interface Reservation {
  readonly because: string;
  /** Whether its owner can do something about it, and should be told in an event. */
  readonly isTold: boolean;
  /** Whether it passes when nothing happens for a while. */
  readonly isPassing: boolean;
}

/** Why the node of a candidate may not be consolidated; undefined when it may. */
export function judgeConsolidation(
  candidate: Candidate,
  instanceTypes: readonly InstanceType[],
): Reservation | undefined {
  const { pool, instanceType, capacityType, zone, claim } = candidate;
  const { consolidateAfter, consolidationPolicy } = pool.disruption;
  if (pool.replicas !== undefined) return quietly(`NodePool "${pool.name}" is static`);
  if (findInstanceType(instanceTypes, instanceType) === undefined) {
    return aloud(`Instance Type "${instanceType}" not found`);
  }
  if (capacityType === "") return aloud(`Node does not have label "${capacityTypeLabel}"`);
  if (zone === "") return aloud(`Node does not have label "${zoneLabel}"`);
  if (consolidateAfter === undefined) return aloud(`NodePool "${pool.name}" has consolidation disabled`);
  if (isEmpty(candidate)) return quietly("Node is empty");
  if (consolidationPolicy === "WhenEmpty") {
    return aloud(`NodePool "${pool.name}" has consolidation policy WhenEmpty, but node is not empty`);
  }
  if (!isConditionTrue(claim, "Consolidatable")) {
    return { because: "Pods came or went within consolidateAfter", isTold: false, isPassing: true };
  }
  return undefined;
}

function aloud(because: string): Reservation {
  return { because, isTold: true, isPassing: false };
}

function quietly(because: string): Reservation {
  return { because, isTold: false, isPassing: false };
}

/**
 * Names of the nodes that may take pods which move. Those on which pods have just come or gone are left in peace, but
 * for nodes that nobody ever consolidates.
 */
export function findDestinations(view: Pick<DisruptionView, "cluster" | "now" | "isBusy">): ReadonlySet<string> {
  const names = new Set<string>();
  for (const node of view.cluster.nodes.values()) if (isDestination(node, view)) names.add(node.name);
  return names;
}

function isDestination(
  node: NodeObject,
  { cluster, now, isBusy }: Pick<DisruptionView, "cluster" | "now" | "isBusy">,
): boolean {
  if (node.deletedAt !== undefined) return false;
  const [claim] = cluster.claimsOf(node);
  if (claim === undefined) return true;
  if (node.labels.get(initializedLabel) !== "true" || claim.deletedAt !== undefined || isBusy(claim.name)) return false;
  if (["InstanceTerminating", "DisruptionReason"].some((type) => isConditionTrue(claim, type))) return false;
  return !isUnsettled(claim, cluster, now);
}

/** Whether pods have come or gone within the time that its pool sets. */
function isUnsettled(claim: NodeClaim, cluster: ClusterState, now: number): boolean {
  const pool = cluster.pools.get(claim.labels.get(nodePoolLabel) ?? "");
  const consolidateAfter = pool?.disruption.consolidateAfter;
  if (pool === undefined || pool.replicas !== undefined || consolidateAfter === undefined) return false;
  const settled = settledAt(claim, consolidateAfter);
  return settled !== undefined && now < settled;
}
