import type { InstanceType, Offering } from "../../../core/model/instance-type.ts";
import { capacityTypeLabel, zoneLabel } from "../../../core/model/labels.ts";
import type { NodeClaim } from "../../../core/model/node-claim.ts";
import { conflictingKey, has, requirementFor } from "../../../core/model/requirements.ts";
import { fits, type Resources } from "../../../core/model/resources.ts";
import {
  capacityReservationInterruptibleLabel,
  capacityReservationTypeLabel,
  instanceSizeLabel,
  instanceTenancyLabel,
} from "../names.ts";

/** A type and those of its offerings that this launch may take. */
export interface Candidate {
  readonly type: InstanceType;
  readonly offerings: readonly Offering[];
}

export type LaunchCapacity = "reserved" | "spot" | "on-demand";

/** What one launch is made of: one capacity type, and the offerings of it that will do. */
export interface LaunchPlan {
  readonly capacityType: LaunchCapacity;
  readonly tenancy: "default" | "dedicated";
  /** Of reserved capacity only. */
  readonly reservationType: "default" | "capacity-block";
  readonly isInterruptible: boolean;
  /** The cheapest first. */
  readonly candidates: readonly Candidate[];
  /** Whether spot would have done although something else is bought. */
  readonly isSpotForgone: boolean;
}

export interface LaunchQuestion {
  readonly claim: NodeClaim;
  readonly types: readonly InstanceType[];
  /** What has been refused in this pass. */
  readonly isRefused: (type: InstanceType, offering: Offering) => boolean;
}

export type Planning =
  | { readonly kind: "planned"; readonly plan: LaunchPlan }
  /** What can be had is not as varied as the claim asks for, or nothing can be had. */
  | { readonly kind: "monotonous" | "nothing"; readonly message: string };

export const minValuesRelaxedAnnotation = "karpenter.sh/nodeclaim-min-values-relaxed";

/** As many types as a fleet request is made of. */
const mostTypes = 60;

const exoticResources = [
  "nvidia.com/gpu",
  "amd.com/gpu",
  "aws.amazon.com/neuron",
  "aws.amazon.com/neuroncore",
  "habana.ai/gaudi",
];

export function planLaunch(question: LaunchQuestion): Planning {
  const { claim } = question;
  const usable = findUsable(question);
  if (usable.length === 0) return nothing("no instance type that can be had now is what the claim asks for");
  const hasMinValues = [...claim.requirements.values()].some(({ minValues }) => minValues !== undefined);
  const reserved = chooseReserved(usable);
  const fitting = reserved ?? usable;
  const ordinary = hasMinValues ? fitting : sparing(fitting);
  const worthwhile = hasMinValues || reserved !== undefined ? ordinary : dropDearSpot(ordinary);
  const cheapest = cutToMost(claim, byPrice(worthwhile));
  const lacking = claim.annotations.get(minValuesRelaxedAnnotation) === "true" ? "" : unmetMinValues(claim, cheapest);
  if (lacking !== "") return { kind: "monotonous", message: lacking };
  const capacityType = capacityTypeFor(cheapest);
  const candidates = byPrice(cheapest.map((candidate) => only(candidate, capacityType)).filter(hasOfferings));
  const [first] = candidates;
  if (first === undefined) return nothing("no instance type that can be had now is what the claim asks for");
  const isSpotAllowed = has(requirementFor(claim.requirements, capacityTypeLabel), "spot");
  return {
    kind: "planned",
    plan: {
      capacityType,
      tenancy: has(requirementFor(claim.requirements, instanceTenancyLabel), "default") ? "default" : "dedicated",
      reservationType: isOf(first.offerings[0], capacityReservationTypeLabel, "capacity-block")
        ? "capacity-block"
        : "default",
      isInterruptible: isOf(first.offerings[0], capacityReservationInterruptibleLabel, "true"),
      candidates,
      isSpotForgone: isSpotAllowed && capacityType === "on-demand",
    },
  };
}

function nothing(message: string): Planning {
  return { kind: "nothing", message };
}

/** The zone, or whatever else an offering has one of; "" for none. */
export function labelOf(offering: Offering, key: string): string {
  const [value = ""] = offering.requirements.get(key)?.values ?? [];
  return value;
}

function isOf(offering: Offering | undefined, key: string, value: string): boolean {
  return offering !== undefined && labelOf(offering, key) === value;
}

function hasOfferings({ offerings }: Candidate): boolean {
  return offerings.length > 0;
}

function findUsable({ claim, types, isRefused }: LaunchQuestion): readonly Candidate[] {
  const { requirements, requests } = claim;
  return types.flatMap((type) => {
    if (conflictingKey(type.requirements, requirements) !== undefined) return [];
    const offerings = type.offerings.filter(
      (offering) =>
        offering.isAvailable &&
        !isRefused(type, offering) &&
        conflictingKey(offering.requirements, requirements) === undefined &&
        fits(requests, allocatableOf(type, offering)),
    );
    return offerings.length === 0 ? [] : [{ type, offerings }];
  });
}

/** What the machine of an offering has to give. */
function allocatableOf(type: InstanceType, offering: Offering | undefined): Resources {
  return offering?.allocatable === undefined
    ? type.allocatable
    : new Map([...type.allocatable, ...offering.allocatable]);
}

/** The kind of reserved capacity that is cheapest, undefined when there is none: a fleet request is for one kind only. */
function chooseReserved(candidates: readonly Candidate[]): readonly Candidate[] | undefined {
  const kinds = new Map<string, { readonly rank: number; price: number }>();
  for (const { offerings } of candidates) {
    for (const offering of offerings) {
      if (!isOf(offering, capacityTypeLabel, "reserved")) continue;
      const kind = kinds.get(reservedKindOf(offering));
      if (kind === undefined) kinds.set(reservedKindOf(offering), { rank: rankOf(offering), price: offering.price });
      else kind.price = Math.min(kind.price, offering.price);
    }
  }
  const [best] = [...kinds].sort(([, left], [, right]) => left.price - right.price || left.rank - right.rank);
  if (best === undefined) return undefined;
  const ofKind = candidates
    .map(({ type, offerings }) => ({
      type,
      offerings: largestByZone(
        offerings.filter(
          (offering) => isOf(offering, capacityTypeLabel, "reserved") && reservedKindOf(offering) === best[0],
        ),
      ),
    }))
    .filter(hasOfferings);
  return best[0].startsWith("capacity-block") ? cheapestAlone(ofKind) : ofKind;
}

function reservedKindOf(offering: Offering): string {
  return `${labelOf(offering, capacityReservationTypeLabel)}/${labelOf(offering, capacityReservationInterruptibleLabel)}`;
}

function rankOf(offering: Offering): number {
  if (isOf(offering, capacityReservationInterruptibleLabel, "true")) return 2;
  return isOf(offering, capacityReservationTypeLabel, "capacity-block") ? 1 : 0;
}

/** Of several reservations in a zone, the one with the most machines left. */
function largestByZone(offerings: readonly Offering[]): readonly Offering[] {
  const byZone = new Map<string, Offering>();
  for (const offering of offerings) {
    const best = byZone.get(labelOf(offering, zoneLabel));
    if (best === undefined || (best.reservationCapacity ?? 0) < (offering.reservationCapacity ?? 0)) {
      byZone.set(labelOf(offering, zoneLabel), offering);
    }
  }
  return [...byZone.values()];
}

/** A request for a capacity block may name one only. */
function cheapestAlone(candidates: readonly Candidate[]): readonly Candidate[] {
  const [first] = byPrice(candidates);
  if (first === undefined) return [];
  const [offering] = [...first.offerings].sort((left, right) => left.price - right.price);
  return offering === undefined ? [] : [{ type: first.type, offerings: [offering] }];
}

/** Leaves bare metal and accelerators to those who need them, as long as anything else will do. */
function sparing(candidates: readonly Candidate[]): readonly Candidate[] {
  const ordinary = candidates.filter(({ type }) => !isExotic(type));
  return ordinary.length > 0 ? ordinary : candidates;
}

function isExotic({ requirements, capacity }: InstanceType): boolean {
  const [size = ""] = requirements.get(instanceSizeLabel)?.values ?? [];
  return size.startsWith("metal") || exoticResources.some((name) => (capacity.get(name) ?? 0) > 0);
}

/** Spot that costs more than on-demand is worth nothing. */
function dropDearSpot(candidates: readonly Candidate[]): readonly Candidate[] {
  let cheapest = Number.POSITIVE_INFINITY;
  for (const { offerings } of candidates) {
    for (const offering of offerings) {
      if (isOf(offering, capacityTypeLabel, "on-demand")) cheapest = Math.min(cheapest, offering.price);
    }
  }
  return candidates
    .map(({ type, offerings }) => ({
      type,
      offerings: offerings.filter(
        (offering) => !isOf(offering, capacityTypeLabel, "spot") || offering.price <= cheapest,
      ),
    }))
    .filter(hasOfferings);
}

function capacityTypeFor(candidates: readonly Candidate[]): LaunchCapacity {
  const has = (capacityType: string): boolean =>
    candidates.some(({ offerings }) => offerings.some((offering) => isOf(offering, capacityTypeLabel, capacityType)));
  if (has("reserved")) return "reserved";
  return has("spot") ? "spot" : "on-demand";
}

function only({ type, offerings }: Candidate, capacityType: string): Candidate {
  return { type, offerings: offerings.filter((offering) => isOf(offering, capacityTypeLabel, capacityType)) };
}

function byPrice(candidates: readonly Candidate[]): readonly Candidate[] {
  const priceOf = ({ offerings }: Candidate): number => Math.min(...offerings.map(({ price }) => price));
  return candidates
    .map((candidate) => ({ candidate, price: priceOf(candidate) }))
    .sort((left, right) => left.price - right.price || (left.candidate.type.name < right.candidate.type.name ? -1 : 1))
    .map(({ candidate }) => candidate);
}

/** The cheapest, among them those that bring the variety that the claim asks for, which may be dear. */
function cutToMost({ requirements }: NodeClaim, sorted: readonly Candidate[]): readonly Candidate[] {
  if (sorted.length <= mostTypes) return sorted;
  const kept = new Set<Candidate>();
  for (const [key, requirement] of requirements) {
    const values = new Set<string>();
    for (const candidate of sorted) {
      if (values.size >= (requirement.minValues ?? 0)) break;
      const added = [...(candidate.type.requirements.get(key)?.values ?? [])].filter(
        (value) => has(requirement, value) && !values.has(value),
      );
      if (added.length > 0) kept.add(candidate);
      for (const value of added) values.add(value);
    }
  }
  for (const candidate of sorted) {
    if (kept.size >= mostTypes) break;
    kept.add(candidate);
  }
  return sorted.filter((candidate) => kept.has(candidate)).slice(0, mostTypes);
}

/** Which variety the claim asks for and these do not offer, "" when they do. */
function unmetMinValues({ requirements }: NodeClaim, candidates: readonly Candidate[]): string {
  for (const [key, requirement] of requirements) {
    if (requirement.minValues === undefined) continue;
    const values = new Set<string>();
    for (const { type } of candidates) {
      for (const value of type.requirements.get(key)?.values ?? []) if (has(requirement, value)) values.add(value);
    }
    if (values.size < requirement.minValues) {
      return `the claim asks for ${requirement.minValues} different values of ${key}, and only ${values.size} can be had`;
    }
  }
  return "";
}
