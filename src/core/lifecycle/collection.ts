import type { ClusterState } from "../cluster/cluster-state.ts";
import { isConditionTrue } from "../model/condition.ts";
import type { NodeClaim } from "../model/node-claim.ts";
import { isNodeReady } from "../model/node-object.ts";

/** A machine, as far as it matters whose it is. */
export interface Machine {
  readonly providerId: string;
  readonly claimName: string;
  readonly createdAt: number;
  readonly isTerminating: boolean;
}

/** The claim of a machine so young may not have been told of it. */
const leastAge = 30_000;

export interface Strays<T> {
  /** Machines that no claim accounts for, as far as we see; the API may know better. */
  readonly strays: readonly T[];
  /** After so many milliseconds the others like them are old enough to be judged; undefined when there are none. */
  readonly judgeAgainIn: number | undefined;
}

export function findStrays<T extends Machine>(
  machines: readonly T[],
  claims: Iterable<NodeClaim>,
  now: number,
): Strays<T> {
  const byName = new Map<string, NodeClaim>();
  const known = new Set<string>();
  for (const claim of claims) {
    byName.set(claim.name, claim);
    known.add(claim.providerId);
  }
  const unaccounted = machines.filter(
    (machine) =>
      !machine.isTerminating && !known.has(machine.providerId) && !accountsFor(byName.get(machine.claimName), machine),
  );
  const isOld = ({ createdAt }: Machine): boolean => now - createdAt >= leastAge;
  const young = unaccounted.filter((machine) => !isOld(machine));
  return {
    strays: unaccounted.filter(isOld),
    judgeAgainIn:
      young.length === 0 ? undefined : Math.max(...young.map(({ createdAt }) => createdAt + leastAge - now)),
  };
}

/** A claim that has not been told its machine yet will be told of this one; a claim that has another will not. */
export function accountsFor(claim: NodeClaim | undefined, { providerId }: Machine): boolean {
  return claim !== undefined && (claim.providerId === "" || claim.providerId === providerId);
}

/** Claims whose node had joined and whose machine is none of these. A node that is still ready proves the list wrong. */
export function findBereft(
  cluster: ClusterState,
  claims: readonly NodeClaim[],
  machines: readonly Machine[],
): readonly NodeClaim[] {
  const there = new Set<string>();
  for (const { providerId, isTerminating } of machines) if (!isTerminating) there.add(providerId);
  return claims.filter(
    (claim) =>
      claim.deletedAt === undefined &&
      isConditionTrue(claim, "Registered") &&
      !there.has(claim.providerId) &&
      !cluster.nodesOf(claim).some(isNodeReady),
  );
}
