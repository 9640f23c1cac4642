import type { NodeClaim } from "../model/node-claim.ts";
import type { NodePoolObject } from "../model/node-pool-object.ts";
import type { Candidate } from "./candidate.ts";
import { sortDrifted } from "./drift-order.ts";

export interface StaticDriftQuestion {
  readonly candidates: readonly Candidate[];
  /** All claims of the pool, also those that are going or have just been asked for. */
  readonly claims: readonly NodeClaim[];
  /** How many nodes its budgets let go now. */
  readonly usable: number;
}

/** Drifted nodes of a static pool that go now, each for one new node, without exceeding the limit of the pool. */
export function chooseStaticDrift(
  { name, replicas, limits }: Pick<NodePoolObject, "name" | "replicas" | "limits">,
  { candidates, claims, usable }: StaticDriftQuestion,
): readonly Candidate[] {
  if (replicas === undefined) return [];
  // More than are wanted: the pool is shrinking, or is about to be rid of what was replaced.
  if (claims.filter(({ deletedAt }) => deletedAt === undefined).length > replicas) return [];
  const room = (limits.get("nodes") ?? Number.POSITIVE_INFINITY) - claims.length;
  const own = candidates.filter(({ pool }) => pool.name === name);
  return sortDrifted(own).slice(0, Math.max(0, Math.min(usable, room)));
}
