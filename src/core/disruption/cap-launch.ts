import type { InstanceType, Offering } from "../model/instance-type.ts";
import { capacityTypeLabel, zoneLabel } from "../model/labels.ts";
import { has, makeRequirement, type Requirements, requirementFor } from "../model/requirements.ts";
import { minValuesOf, namedTypes, unmetMinValues } from "../scheduling/min-values.ts";
import type { PlannedNode } from "../scheduling/plan.ts";

/**
 * Narrows what may be launched in place of a planned node so that whatever the cloud picks costs less than `cap`: only
 * the capacity type that was planned, and only types that are cheap enough wherever the claim lets them be. Undefined
 * when that leaves less choice than the pool's minValues demand.
 */
export function capLaunch(
  node: PlannedNode,
  cap: number,
  isExcluded: (type: string, price: number) => boolean,
): PlannedNode | undefined {
  const capacityType = makeRequirement("In", [node.capacityType]);
  const broad = new Map(node.requirements).set(capacityTypeLabel, capacityType);
  const narrow = new Map(broad).set(zoneLabel, makeRequirement("In", [node.zone]));
  for (const requirements of [broad, narrow]) {
    const types = namedTypes(node.pool, node.instanceTypes).filter((type) => {
      const price = worstPrice(type, requirements);
      return price < cap && !isExcluded(type.name, price);
    });
    const names = new Set(types.map(({ name }) => name));
    if (!names.has(node.instanceType)) continue;
    if (!node.isMinValuesRelaxed && unmetMinValues(minValuesOf(node.pool), types) !== undefined) return undefined;
    return { ...node, instanceTypes: node.instanceTypes.filter((name) => names.has(name)), requirements };
  }
  return undefined;
}

/** What the dearest machine of the type costs that the claim lets the cloud pick. */
function worstPrice({ offerings }: InstanceType, requirements: Requirements): number {
  const prices = offerings.filter((offering) => isPossible(offering, requirements)).map(({ price }) => price);
  return prices.length === 0 ? Number.POSITIVE_INFINITY : Math.max(...prices);
}

function isPossible({ isAvailable, requirements: own }: Offering, requirements: Requirements): boolean {
  if (!isAvailable) return false;
  return [zoneLabel, capacityTypeLabel].every((key) => {
    const wanted = requirementFor(requirements, key);
    return [...(own.get(key)?.values ?? [])].some((value) => has(wanted, value));
  });
}
