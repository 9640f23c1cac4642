import type { ClusterState } from "../../core/cluster/cluster-state.ts";
import type { Candidate } from "../../core/disruption/candidate.ts";
import type { DecidedMove } from "../../core/disruption/decision.ts";
import { findCondition } from "../../core/model/condition.ts";
import {
  isReplacementAnnotation,
  replacementsAnnotation,
  replacesAnnotation,
} from "../../core/model/move-annotations.ts";
import type { NodeClaim } from "../../core/model/node-claim.ts";
import type { DisruptionReason } from "../../core/model/pool-disruption.ts";
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

/**
 * What is written on each replacement. It names only those whose pods are meant for it, so that it stays small however
 * many go together; but each of them is named somewhere, and each replacement waits for somebody.
 */
export function replacementAnnotations(command: Command, order: Order): readonly ReadonlyMap<string, string>[] {
  const { claimNames, replacementNames } = command;
  const together = `${replacementNames[0]}/${replacementNames.length}`;
  return namesByLaunch(order).map(
    (names, index) =>
      new Map([
        [replacesAnnotation, (names.length > 0 ? names : [claimNames[index % claimNames.length]]).join(",")],
        [replacementsAnnotation, together],
        [isReplacementAnnotation, "true"],
      ]),
  );
}

function namesByLaunch({ candidates, launches }: Order): readonly (readonly string[])[] {
  const launchOf = new Map(launches.flatMap(({ podUids }, index) => podUids.map((uid) => [uid, index] as const)));
  const names = launches.map((): string[] => []);
  for (const [position, { claim, pods }] of candidates.entries()) {
    const own = new Set(pods.flatMap(({ uid }) => launchOf.get(uid) ?? []));
    for (const index of own.size > 0 ? own : [position % launches.length]) names[index]?.push(claim.name);
  }
  return names;
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
    const isWhole =
      members.length === Number(together.split("/")[1]) && members.every((claim) => claim.deletedAt === undefined);
    const claims = [...new Set(members.flatMap((claim) => stayingOf(cluster, claim)))];
    const reason = claims.flatMap((claim) => findCondition(claim, "DisruptionReason")?.reason ?? []).find(isReason);
    if (!isWhole || claims.length === 0 || reason === undefined) return [];
    return [
      {
        id: together,
        reason,
        type: reason !== "Underutilized" ? ("" as const) : claims.length > 1 ? ("multi" as const) : ("single" as const),
        createdAt: Math.min(...members.map(({ createdAt }) => createdAt)),
        claimNames: claims.map(({ name }) => name),
        replacementNames: members.map(({ name }) => name),
        move: { nodes: claims.map(({ nodeName }) => nodeName), replacements: [] },
      },
    ];
  });
}

/** Of the claims that this one replaces, those that nobody has asked to go yet. */
export function stayingOf(cluster: ClusterState, replacement: NodeClaim): readonly NodeClaim[] {
  return replacedBy(cluster, replacement).filter(({ deletedAt }) => deletedAt === undefined);
}

/** Whether it says whom it replaces, and all of them are gone. */
export function hasReplacedAll(cluster: ClusterState, replacement: NodeClaim): boolean {
  return replacement.annotations.has(replacesAnnotation) && replacedBy(cluster, replacement).length === 0;
}

function replacedBy(cluster: ClusterState, { annotations }: NodeClaim): readonly NodeClaim[] {
  const names = annotations.get(replacesAnnotation)?.split(",") ?? [];
  return names.flatMap((name) => cluster.claims.get(name) ?? []);
}

function isReason(text: string): text is DisruptionReason {
  return text === "Underutilized" || text === "Empty" || text === "Drifted";
}
