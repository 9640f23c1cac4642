import type { Offering } from "../model/instance-type.ts";
import { capacityTypeLabel, zoneLabel } from "../model/labels.ts";
import { makeRequirement, type Requirement } from "../model/requirements.ts";
import type { Field } from "./field.ts";
import { readRequirement } from "./read-requirement.ts";

/** Both spellings are about: Go writes its own field names, people write them as they do everywhere else. */
function either(item: Field, name: string): Field {
  const inGo = item.at(name);
  const asUsual = item.at(`${name.charAt(0).toLowerCase()}${name.slice(1)}`);
  return inGo.isAbsent && !asUsual.isAbsent ? asUsual : inGo;
}

export function readOffering(item: Field): Offering {
  const requirements = readOfferingRequirements(either(item, "Requirements"));
  const available = either(item, "Available");
  const reservationKey = [...requirements.keys()].find((key) => key.includes("reservation-id"));
  return {
    requirements,
    price: readPrice(either(item, "Price")),
    // Only an explicit no counts: most catalogues do not mention it.
    isAvailable: available.isAbsent || available.flag(),
    reservationCapacity: either(item, "ReservationCapacity").integer(0, 1_000_000),
    reservationId: reservationKey === undefined ? undefined : only(requirements.get(reservationKey)),
    allocatable: undefined,
  };
}

/** No machine costs nearly as much; a mistake like that would hide every other price in a sum. */
const highestPrice = 100_000;

function readPrice(field: Field): number {
  const price = field.value;
  if (typeof price === "number" && price >= 0 && price <= highestPrice) return price;
  field.reject(`must be a price in dollars an hour, from 0 to ${highestPrice}`);
  return 0;
}

/** An offering is one zone and one capacity type, so that it has one price. */
function readOfferingRequirements(field: Field): ReadonlyMap<string, Requirement> {
  const requirements = new Map<string, Requirement>();
  for (const item of field.items()) {
    const entry = readRequirement(item);
    if (entry !== undefined) requirements.set(entry.key, makeRequirement(entry.operator, entry.values));
  }
  for (const key of [zoneLabel, capacityTypeLabel]) {
    if (only(requirements.get(key)) === undefined) field.note(`must name exactly one ${key}`);
  }
  return requirements;
}

function only(requirement: Requirement | undefined): string | undefined {
  if (requirement === undefined || requirement.isComplement || requirement.values.size !== 1) return undefined;
  const [value] = requirement.values;
  return value;
}
