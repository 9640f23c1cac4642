import { type Resources, toResources } from "../model/resources.ts";
import type { Field } from "./field.ts";
import { readQuantities } from "./read-resources.ts";

/** Limits what a pool may cost; in manifests in dollars an hour. */
const hourlyPriceLimit = "karpenter.sh/hourly-price";

/** In whole units, money in millionths of a dollar: a limit of 0.05 must not round to a whole dollar. */
export function readPoolLimits(field: Field): Resources {
  const quantities = new Map(readQuantities(field));
  const price = quantities.get(hourlyPriceLimit);
  // While the amount is still exact: what follows rounds to whole units.
  if (price !== undefined) quantities.set(hourlyPriceLimit, price * 1_000_000n);
  return toResources(quantities);
}
