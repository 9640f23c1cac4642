import { parseQuantity } from "../../model/quantity.ts";
import type { Field } from "../field.ts";

/** `limits` of a NodePool, as far as there are any. */
export function convertLimits(field: Field): object {
  const entries = field.entries().flatMap(([resource, amount]) => {
    const { value } = amount;
    const isQuantity = (typeof value === "string" || typeof value === "number") && parseQuantity(value) !== undefined;
    if (!isQuantity) amount.reject('must be a quantity such as "100" or "100Gi"');
    // Resources are whole numbers or texts on the wire.
    return [[resource, typeof value === "number" && !Number.isInteger(value) ? String(value) : value]];
  });
  return entries.length === 0 ? {} : { limits: Object.fromEntries(entries) };
}
