import { parseQuantity, type Quantity } from "../model/quantity.ts";
import { type ResourceQuantities, type Resources, toResources } from "../model/resources.ts";
import type { Field } from "./field.ts";

/** Far beyond any sensible notation; arithmetic on a million digits would take its time. */
const longestQuantity = 64;

function readQuantity(field: Field): Quantity | undefined {
  const { value } = field;
  if (value === undefined) return undefined;
  const isNotation = typeof value === "number" || (typeof value === "string" && value.length <= longestQuantity);
  const quantity = isNotation ? parseQuantity(value) : undefined;
  if (quantity === undefined) field.reject('must be a quantity such as "500m" or "2Gi"');
  else if (quantity < 0n) field.reject("must not be negative");
  return quantity;
}

export function readQuantities(field: Field): ResourceQuantities {
  const quantities = new Map<string, Quantity>();
  for (const [name, amount] of field.entries()) {
    const quantity = readQuantity(amount);
    if (quantity !== undefined) quantities.set(name, quantity);
  }
  return quantities;
}

export function readResources(field: Field): Resources {
  return toResources(readQuantities(field));
}
