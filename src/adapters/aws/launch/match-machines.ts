/** A machine that AWS has, as far as it matters whose it is. */
export interface OwnedMachine {
  readonly providerId: string;
  /** The claims that it was bought for, one of which it is for. */
  readonly claimNames: readonly string[];
  readonly createdAt: number;
  readonly isTerminating: boolean;
}

export interface WantingClaim {
  readonly name: string;
  /** "" while nobody has written down which machine it has. */
  readonly providerId: string;
  readonly deletedAt: number | undefined;
}

export interface MatchQuestion {
  readonly machines: readonly OwnedMachine[];
  readonly claims: Iterable<WantingClaim>;
  /** What this process knows from the answers that it got: provider ids by the name of the claim. */
  readonly assigned: ReadonlyMap<string, string>;
}

/**
 * The claim of each machine by its provider id, "" for one that is nobody's. What is written down or known holds; what
 * is left goes to those it was bought for that have none, always in the same way: first what was bought for few, then
 * the oldest. A machine that is going is given to nobody new.
 */
export function matchMachines({ machines, claims, assigned }: MatchQuestion): ReadonlyMap<string, string> {
  const byName = new Map<string, WantingClaim>();
  const matched = new Map<string, string>();
  const served = new Set<string>();
  for (const claim of claims) {
    byName.set(claim.name, claim);
    if (claim.providerId === "") continue;
    matched.set(claim.providerId, claim.name);
    served.add(claim.name);
  }
  for (const [name, providerId] of assigned) {
    if (served.has(name) || matched.has(providerId)) continue;
    matched.set(providerId, name);
    served.add(name);
  }
  const result = new Map<string, string>();
  for (const machine of [...machines].sort(byChoice)) {
    const { providerId } = machine;
    const known = matched.get(providerId);
    const name = known ?? pick(machine, byName, served);
    if (known === undefined && name !== "" && byName.has(name) && !machine.isTerminating) served.add(name);
    result.set(providerId, name);
  }
  return result;
}

function pick(
  { claimNames, isTerminating }: OwnedMachine,
  claims: ReadonlyMap<string, WantingClaim>,
  served: ReadonlySet<string>,
): string {
  if (isTerminating) return claimNames.length === 1 ? (claimNames[0] ?? "") : "";
  const wanting = claimNames.filter((name) => claims.has(name) && !served.has(name));
  const staying = wanting.find((name) => claims.get(name)?.deletedAt === undefined) ?? wanting[0];
  // A name that we do not know may be that of a claim that we have not been told of: whoever acts on it asks first.
  return staying ?? claimNames.find((name) => !claims.has(name)) ?? "";
}

function byChoice(left: OwnedMachine, right: OwnedMachine): number {
  return (
    left.claimNames.length - right.claimNames.length ||
    left.createdAt - right.createdAt ||
    (left.providerId < right.providerId ? -1 : 1)
  );
}
