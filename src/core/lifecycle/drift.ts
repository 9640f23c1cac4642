import type { InstanceType } from "../model/instance-type.ts";
import { capacityTypeLabel, instanceTypeLabel, type Labels, wellKnownLabels, zoneLabel } from "../model/labels.ts";
import type { NodeClaim } from "../model/node-claim.ts";
import type { NodePoolObject } from "../model/node-pool-object.ts";
import { acceptsAbsence, has, type Requirement, type Requirements, unmetKey } from "../model/requirements.ts";
import { softExpiryOf } from "./soft-expiry.ts";

/** The time after which a claim's instance type is looked for in the catalogue, which may have been incomplete before. */
const catalogueAge = 3_600_000;
/** How long it is not looked for again once it was found. */
const cataloguePause = 1_800_000;

/** Why a claim is no longer what its pool asks for. A cloud has reasons of its own. */
export type PoolDrift = "NodePoolDrifted" | "RequirementsDrifted" | "SoftExpired";

export interface DriftQuestion {
  readonly claim: NodeClaim;
  readonly pool: NodePoolObject;
  /** The claim was made of another template than the pool has now. */
  readonly isOfOldTemplate: boolean;
  readonly now: number;
}

export function judgePoolDrift({ claim, pool, isOfOldTemplate, now }: DriftQuestion): PoolDrift | undefined {
  if (isOfOldTemplate) return "NodePoolDrifted";
  // A pool with problems does not say which nodes it wants.
  if (pool.pool !== undefined && unmetKey(pool.pool.requirements, claim.labels) !== undefined) {
    return "RequirementsDrifted";
  }
  return millisecondsToSoftExpiry(claim, pool, now) === 0 ? "SoftExpired" : undefined;
}

/** Undefined when the pool replaces no nodes for their age. */
export function millisecondsToSoftExpiry(
  claim: NodeClaim,
  { disruption: { softExpireAfter } }: NodePoolObject,
  now: number,
): number | undefined {
  return softExpireAfter === undefined ? undefined : Math.max(0, softExpiryOf(claim, softExpireAfter) - now);
}

/** Whether it is time to look for the claim's instance type, which was last found at `foundAt`. */
export function isCatalogueDue(claim: NodeClaim, foundAt: number | undefined, now: number): boolean {
  return now - claim.createdAt > catalogueAge && (foundAt === undefined || now - foundAt >= cataloguePause);
}

/** Whether the cloud still sells such a machine, be it that it has none to give now. */
export function isForSale(
  { labels }: Pick<NodeClaim, "labels">,
  instanceTypes: readonly InstanceType[],
  cloudLabels: ReadonlySet<string>,
): boolean {
  const name = labels.get(instanceTypeLabel);
  const type = instanceTypes.find((candidate) => candidate.name === name);
  if (type === undefined) return false;
  const isWhatItIs =
    labels.get(capacityTypeLabel) === "reserved"
      ? (requirements: Requirements) => servesReserved(requirements, labels)
      : (requirements: Requirements) => serves(requirements, labels, cloudLabels);
  return type.offerings.some(({ requirements }) => isWhatItIs(requirements));
}

/**
 * A reserved machine becomes an on-demand one when its reservation ends, before its labels say so. Whatever else they
 * say of the reservation is the cloud's to judge.
 */
function servesReserved(requirements: Requirements, labels: Labels): boolean {
  const zone = labels.get(zoneLabel);
  const capacityType = requirements.get(capacityTypeLabel);
  return (
    (zone === undefined || allows(requirements.get(zoneLabel), zone)) &&
    (allows(capacityType, "reserved") || allows(capacityType, "on-demand"))
  );
}

function serves(requirements: Requirements, labels: Labels, cloudLabels: ReadonlySet<string>): boolean {
  for (const [key, requirement] of requirements) {
    const value = labels.get(key);
    const isMet =
      value === undefined
        ? acceptsAbsence(requirement) || wellKnownLabels.has(key) || cloudLabels.has(key)
        : has(requirement, value);
    if (!isMet) return false;
  }
  return true;
}

function allows(requirement: Requirement | undefined, value: string): boolean {
  return requirement === undefined || has(requirement, value);
}
