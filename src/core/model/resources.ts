import { milliValue, type Quantity, wholeValue } from "./quantity.ts";

/** Amounts by resource name in whole units: cpu in millicores, everything else as is (bytes, counts). */
export type Resources = ReadonlyMap<string, number>;

/** Exact amounts by resource name, as written in manifests. */
export type ResourceQuantities = ReadonlyMap<string, Quantity>;

export const noResources: Resources = new Map();

export function addQuantities(a: ResourceQuantities, b: ResourceQuantities): ResourceQuantities {
  return merge(a, b, (left, right) => left + right);
}

export function maxQuantities(a: ResourceQuantities, b: ResourceQuantities): ResourceQuantities {
  return merge(a, b, (left, right) => {
    if (left > right) return left;
    return right;
  });
}

/** Rounded up, once, after everything has been added: rounding each part would ask for more than the pod does. */
export function toResources(quantities: ResourceQuantities): Resources {
  const resources = new Map<string, number>();
  for (const [name, quantity] of quantities) {
    resources.set(name, name === "cpu" ? milliValue(quantity) : wholeValue(quantity));
  }
  return resources;
}

export function addResources(a: Resources, b: Resources): Resources {
  return merge(a, b, (left, right) => left + right);
}

/** What is left of the resources that `from` names, never less than `floor`. */
export function subtractResources(from: Resources, taken: Resources, floor = Number.NEGATIVE_INFINITY): Resources {
  const left = new Map<string, number>();
  for (const [name, amount] of from) left.set(name, Math.max(floor, amount - (taken.get(name) ?? 0)));
  return left;
}

/** Nothing fits where some resource is overdrawn, not even a pod that asks for none of it. */
export function fits(requests: Resources, available: Resources): boolean {
  for (const amount of available.values()) if (amount < 0) return false;
  for (const [name, amount] of requests) if (amount > (available.get(name) ?? 0)) return false;
  return true;
}

/** Everything either side names; where both do, what `combine` makes of the two. */
function merge<T>(
  a: ReadonlyMap<string, T>,
  b: ReadonlyMap<string, T>,
  combine: (left: T, right: T) => T,
): ReadonlyMap<string, T> {
  if (b.size === 0) return a;
  if (a.size === 0) return b;
  const merged = new Map(a);
  for (const [name, right] of b) {
    const left = a.get(name);
    merged.set(name, left === undefined ? right : combine(left, right));
  }
  return merged;
}
