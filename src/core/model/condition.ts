export type ConditionStatus = "True" | "False" | "Unknown";

/** What somebody found true of an object, and since when. */
export interface Condition {
  readonly type: string;
  readonly status: ConditionStatus;
  readonly reason: string;
  readonly message: string;
  /** Milliseconds since 1970. */
  readonly lastTransitionTime: number;
  readonly observedGeneration: number;
}

/** The object whose conditions these are, as far as its conditions depend on it. */
export interface ConditionOwner {
  readonly generation: number;
  readonly createdAt: number;
  readonly conditions: readonly Condition[];
}

export interface ConditionChange {
  readonly type: string;
  readonly status: ConditionStatus;
  /** The type itself by default. */
  readonly reason?: string;
  readonly message?: string;
}

export const readyCondition = "Ready";

export function findCondition(
  owner: { readonly conditions: readonly Condition[] },
  type: string,
): Condition | undefined {
  return owner.conditions.find((condition) => condition.type === type);
}

export function isConditionTrue(owner: { readonly conditions: readonly Condition[] }, type: string): boolean {
  return findCondition(owner, type)?.status === "True";
}

export interface ConditionChanges {
  readonly changes: readonly ConditionChange[];
  /** Types that are not to be there at all; none that Ready is made of. */
  readonly removals?: readonly string[];
  readonly now: number;
}

/**
 * The conditions after a change. `dependents` are the types that Ready is made of: whichever of them is missing begins
 * as Unknown, and Ready follows from all of them. The same list when nothing changes.
 */
export function changeConditions(
  owner: ConditionOwner,
  dependents: readonly string[],
  { changes, removals = [], now }: ConditionChanges,
): readonly Condition[] {
  const conditions = new Map(owner.conditions.map((condition) => [condition.type, condition]));
  for (const type of removals) conditions.delete(type);
  for (const type of dependents) {
    if (!conditions.has(type)) conditions.set(type, begin(owner, type));
  }
  for (const change of changes)
    conditions.set(change.type, applied(owner, dependents, conditions.get(change.type), { change, now }));
  const ready = readiness(
    owner,
    dependents.map((type) => conditions.get(type) ?? begin(owner, type)),
  );
  conditions.set(readyCondition, applied(owner, dependents, conditions.get(readyCondition), { change: ready, now }));
  const sorted = [...conditions.values()].sort(byTime);
  return isSame(owner.conditions, sorted) ? owner.conditions : sorted;
}

function begin({ generation, createdAt }: ConditionOwner, type: string): Condition {
  return {
    type,
    status: "Unknown",
    reason: "AwaitingReconciliation",
    message: "object is awaiting reconciliation",
    lastTransitionTime: createdAt,
    observedGeneration: generation,
  };
}

function applied(
  owner: ConditionOwner,
  dependents: readonly string[],
  before: Condition | undefined,
  { change, now }: { readonly change: ConditionChange; readonly now: number },
): Condition {
  const { type, status, reason = type, message = "" } = change;
  // What an object is born with has been so since its birth.
  const since = before === undefined && (dependents.includes(type) || type === readyCondition) ? owner.createdAt : now;
  return {
    type,
    status,
    reason,
    message,
    lastTransitionTime: before?.status === status ? before.lastTransitionTime : since,
    observedGeneration: owner.generation,
  };
}

function readiness({ generation }: ConditionOwner, dependents: readonly Condition[]): ConditionChange {
  const isCurrent = ({ observedGeneration }: Condition): boolean => observedGeneration === generation;
  const unhealthy = dependents.filter((condition) => condition.status !== "True" || !isCurrent(condition));
  if (unhealthy.length === 0) return { type: readyCondition, status: "True" };
  const message = [...unhealthy]
    .sort((left, right) => right.lastTransitionTime - left.lastTransitionTime)
    .map(({ type, status }) => `${type}=${status}`)
    .join(", ");
  const isFalse = unhealthy.some((condition) => condition.status === "False" && isCurrent(condition));
  return isFalse
    ? { type: readyCondition, status: "False", reason: "UnhealthyDependents", message }
    : { type: readyCondition, status: "Unknown", reason: "ReconcilingDependents", message };
}

/** The oldest first, Ready last. */
function byTime(left: Condition, right: Condition): number {
  if (left.type === readyCondition) return 1;
  if (right.type === readyCondition) return -1;
  return left.lastTransitionTime - right.lastTransitionTime || (left.type < right.type ? -1 : 1);
}

function isSame(before: readonly Condition[], after: readonly Condition[]): boolean {
  if (before.length !== after.length) return false;
  const byType = new Map(before.map((condition) => [condition.type, condition]));
  return after.every((condition) => {
    const old = byType.get(condition.type);
    return (
      old !== undefined &&
      old.status === condition.status &&
      old.reason === condition.reason &&
      old.message === condition.message &&
      old.observedGeneration === condition.observedGeneration
    );
  });
}
