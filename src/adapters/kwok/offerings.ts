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

interface Purchase extends Choice {
  /** What orders those of the same price. */
  readonly name: string;
  readonly offered: Requirements;
}

/** Everything that is sold, the cheapest first; among equals in the order of names. */
export class Offerings {
  readonly #typeNames: ReadonlySet<string>;
  readonly #choices: readonly Purchase[];
  readonly #decidedKeys: ReadonlySet<string>;

  constructor(types: readonly InstanceType[]) {
    this.#typeNames = new Set(types.map(({ name }) => name));
    this.#decidedKeys = decidedKeys(types);
    this.#choices = types
      .flatMap((type) =>
        type.offerings.filter(isAvailable).map((offering) => ({
          type,
          offering,
          name: nameOf(type, offering),
          allocatable: allocatableOf(type, offering),
          offered: intersectAll(type.requirements, offering.requirements),
        })),
      )
      .sort(comparePurchases);
  }

  /**
   * The first that holds the claim and that its requirements allow: the same for the same claim, always. Labels of the
   * claim that the provider decides count as requirements: they tell what was chosen before.
   */
  choose(claim: NodeClaim): ChoiceOutcome {
    const named = requirementFor(claim.requirements, instanceTypeLabel);
    const isUnknown = ![...named.values].some((name) => this.#typeNames.has(name));
    if (!named.isComplement && named.values.size > 0 && isUnknown)
      return { kind: "unknown-types", names: [...named.values].sort() };
    const labels = new Map([...claim.labels].filter(([key]) => this.#decidedKeys.has(key)));
    const asked = intersectAll(claim.requirements, requirementsFromLabels(labels));
    const undecided = new Set([...asked.keys()].filter((key) => !this.#decidedKeys.has(key)));
    const choice = this.#choices.find(
      ({ type, allocatable, offered }) =>
        has(named, type.name) &&
        fits(claim.requests, allocatable) &&
        incompatibleKey(offered, asked, undecided) === undefined,
    );
    return choice === undefined ? { kind: "none" } : { kind: "chosen", choice };
  }
}

function isAvailable(offering: Offering): boolean {
  return offering.isAvailable && offering.reservationCapacity !== 0;
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

function allocatableOf({ allocatable }: InstanceType, offering: Offering): Resources {
  return offering.allocatable === undefined ? allocatable : new Map([...allocatable, ...offering.allocatable]);
}

function comparePurchases(left: Purchase, right: Purchase): number {
  if (left.offering.price !== right.offering.price) return left.offering.price - right.offering.price;
  if (left.name === right.name) return 0;
  return left.name < right.name ? -1 : 1;
}

function nameOf(type: InstanceType, { requirements, reservationId = "" }: Offering): string {
  return [type.name, ...[zoneLabel, capacityTypeLabel].map((key) => listed(requirements, key)), reservationId].join(
    "/",
  );
}

function listed(requirements: Requirements, key: string): string {
  return [...(requirements.get(key)?.values ?? [])].join(",");
}
