import type { InstanceType, Offering } from "../../core/model/instance-type.ts";
import { capacityTypeLabel, instanceTypeLabel, zoneLabel } from "../../core/model/labels.ts";
import type { NodeClaim } from "../../core/model/node-claim.ts";
import {
  has,
  incompatibleKey,
  intersectAll,
  type Requirements,
  requirementFor,
  requirementsFromLabels,
} from "../../core/model/requirements.ts";
import { fits, type Resources } from "../../core/model/resources.ts";

/** What the claim gets: a machine of this type, bought in this way. */
export interface Choice {
  readonly type: InstanceType;
  readonly offering: Offering;
  readonly allocatable: Resources;
}

export type ChoiceOutcome =
  | { readonly kind: "chosen"; readonly choice: Choice }
  | { readonly kind: "none" }
  /** The claim names types, and there is none of them. */
  | { readonly kind: "unknown-types"; readonly names: readonly string[] };

/**
 * The cheapest offering that holds the claim and that its requirements allow; among equals the first by name, so that
 * the same claim always gets the same. Labels of the claim that the provider decides count as requirements: they tell
 * what was chosen before.
 */
export function chooseOffering(claim: NodeClaim, types: readonly InstanceType[]): ChoiceOutcome {
  const named = requirementFor(claim.requirements, instanceTypeLabel);
  const candidates = types.filter(({ name }) => has(named, name));
  if (candidates.length === 0 && !named.isComplement && named.values.size > 0)
    return { kind: "unknown-types", names: [...named.values].sort() };
  const decided = decidedKeys(types);
  const asked = intersectAll(claim.requirements, requirementsFromLabels(only(claim.labels, decided)));
  const isUndecided = new Set([...asked.keys()].filter((key) => !decided.has(key)));
  let cheapest: Choice | undefined;
  for (const type of candidates) {
    for (const offering of type.offerings) {
      if (!offering.isAvailable || offering.reservationCapacity === 0) continue;
      const choice = { type, offering, allocatable: allocatableOf(type, offering) };
      if (cheapest !== undefined && comparePurchases(cheapest, choice) <= 0) continue;
      const offered = intersectAll(type.requirements, offering.requirements);
      if (incompatibleKey(offered, asked, isUndecided) !== undefined) continue;
      if (fits(claim.requests, choice.allocatable)) cheapest = choice;
    }
  }
  return cheapest === undefined ? { kind: "none" } : { kind: "chosen", choice: cheapest };
}

/** Every label that some type or offering decides. */
function decidedKeys(types: readonly InstanceType[]): ReadonlySet<string> {
  const keys = new Set<string>();
  for (const { requirements, offerings } of types) {
    for (const key of requirements.keys()) keys.add(key);
    for (const offering of offerings) for (const key of offering.requirements.keys()) keys.add(key);
  }
  return keys;
}

function only(labels: ReadonlyMap<string, string>, keys: ReadonlySet<string>): ReadonlyMap<string, string> {
  return new Map([...labels].filter(([key]) => keys.has(key)));
}

function allocatableOf({ allocatable }: InstanceType, offering: Offering): Resources {
  return offering.allocatable === undefined ? allocatable : new Map([...allocatable, ...offering.allocatable]);
}

function comparePurchases(left: Choice, right: Choice): number {
  if (left.offering.price !== right.offering.price) return left.offering.price - right.offering.price;
  const [leftName, rightName] = [nameOf(left), nameOf(right)];
  if (leftName === rightName) return 0;
  return leftName < rightName ? -1 : 1;
}

function nameOf({ type, offering: { requirements, reservationId = "" } }: Choice): string {
  return [type.name, ...[zoneLabel, capacityTypeLabel].map((key) => listed(requirements, key)), reservationId].join(
    "/",
  );
}

function listed(requirements: Requirements, key: string): string {
  return [...(requirements.get(key)?.values ?? [])].join(",");
}
