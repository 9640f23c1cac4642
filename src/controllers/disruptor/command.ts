import type { ClusterState } from "../../core/cluster/cluster-state.ts";
import type { Candidate } from "../../core/disruption/candidate.ts";
import type { DecidedMove } from "../../core/disruption/decision.ts";
import { findCondition } from "../../core/model/condition.ts";
import type { NodeClaim } from "../../core/model/node-claim.ts";
import { type DisruptionReason, replacesAnnotation } from "../../core/model/pool-disruption.ts";
import type { NodeToLaunch } from "../../ports/planner.ts";

/** What metrics call the kind of a decision; drift has none. */
export type ConsolidationType = "" | "empty" | "single" | "multi";

/** Nodes that are to go, and what has to be there before. */
export interface Order {
  readonly reason: DisruptionReason;
  readonly type: ConsolidationType;
  readonly candidates: readonly Candidate[];
  readonly launches: readonly NodeToLaunch[];
  /** Dollars an hour; undefined where price is not why. */
  readonly savings: number | undefined;
}

/** An order that is being carried out. Claims are known by their names. */
export interface Command {
  readonly id: string;
  readonly reason: DisruptionReason;
  readonly type: ConsolidationType;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  readonly claimNames: readonly string[];
  readonly replacementNames: readonly string[];
  /** For the journal. */
  readonly move: DecidedMove;
}

/** On a claim that replaces others: the names of all that replace them together. */
export const replacementsAnnotation = "karpenter.sh/replacements";

export function replacementAnnotations(command: Command): ReadonlyMap<string, string> {
  return new Map([
    [replacesAnnotation, command.claimNames.join(",")],
    [replacementsAnnotation, command.replacementNames.join(",")],
  ]);
}

export function decisionOf({ replacementNames }: Command): "replace" | "delete" {
  return replacementNames.length > 0 ? "replace" : "delete";
}

export function decidedMove(order: Order): DecidedMove {
  return {
    nodes: order.candidates.map(({ node }) => node.name),
    replacements: order.launches.map(({ poolName, instanceType, zone, capacityType, price }) => ({
      pool: poolName,
      instanceType,
      zone,
      capacityType,
      price,
    })),
    ...(order.savings === undefined ? {} : { savings: order.savings }),
    disturbance: order.candidates.reduce((sum, { disturbance }) => sum + disturbance, 0),
  };
}

/**
 * What somebody who led before was about to do, as far as all that it takes has been bought. The rest is for nobody to
 * finish.
 */
export function unfinishedCommands(cluster: ClusterState, ours: readonly NodeClaim[]): readonly Command[] {
  const replacements = ours.filter(({ annotations }) => annotations.has(replacementsAnnotation));
  const groups = Map.groupBy(replacements, ({ annotations }) => annotations.get(replacementsAnnotation) ?? "");
  return [...groups].flatMap(([together, members]) => {
    const replacementNames = together.split(",");
    const isWhole =
      members.length === replacementNames.length && members.every((claim) => claim.deletedAt === undefined);
    const claims = stayingOf(cluster, members[0]);
    const reason = claims.flatMap((claim) => findCondition(claim, "DisruptionReason")?.reason ?? []).find(isReason);
    if (!isWhole || claims.length === 0 || reason === undefined) return [];
    return [
      {
        id: together,
        reason,
        type: reason !== "Underutilized" ? ("" as const) : claims.length > 1 ? ("multi" as const) : ("single" as const),
        createdAt: Math.min(...members.map(({ createdAt }) => createdAt)),
        claimNames: claims.map(({ name }) => name),
        replacementNames,
        move: { nodes: claims.map(({ nodeName }) => nodeName), replacements: [] },
      },
    ];
  });
}

/** Of the claims that this one replaces, those that nobody has asked to go yet. */
export function stayingOf(cluster: ClusterState, replacement: NodeClaim | undefined): readonly NodeClaim[] {
  const names = replacement?.annotations.get(replacesAnnotation)?.split(",") ?? [];
  return names.flatMap((name) => cluster.claims.get(name) ?? []).filter(({ deletedAt }) => deletedAt === undefined);
}

function isReason(text: string): text is DisruptionReason {
  return text === "Underutilized" || text === "Empty" || text === "Drifted";
}
