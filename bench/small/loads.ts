import type { Machine } from "../machines.ts";
import type { PodClass } from "./pod-class.ts";

/** What one machine runs: how many pods of each class, and what the cheapest machine for them costs. */
export interface Load {
  readonly counts: readonly number[];
  readonly price: number;
}

/** How many loads there are to try: whoever has more than that to look at had better not. */
export function numberOfLoads(classes: readonly PodClass[]): number {
  return classes.reduce((product, podClass) => product * (mostOn(podClass) + 1), 1);
}

/**
 * The loads that a cheapest plan can be made of. Left out are those whose machine would take one pod more, and those that
 * cost no less than without one of their pods and that pod on a machine of its own. Machines have the cheapest first.
 */
export function usefulLoads(classes: readonly PodClass[], machines: readonly Machine[]): readonly Load[] {
  const most = classes.map(mostOn);
  /** How far apart two loads are in the order of all loads when they differ by one pod of a class. */
  const strides: number[] = [];
  let total = 1;
  for (const count of most) {
    strides.push(total);
    total *= count + 1;
  }
  const countsOf = (index: number): number[] =>
    strides.map((stride, one) => Math.floor(index / stride) % ((most[one] ?? 0) + 1));
  const prices = Float64Array.from({ length: total }, (_, index) => priceOf(countsOf(index), classes, machines));
  prices[0] = 0;
  const priceAt = (index: number): number => prices[index] ?? Number.POSITIVE_INFINITY;
  const isUseful = (counts: readonly number[], index: number): boolean =>
    strides.every((stride, one) => {
      const count = counts[one] ?? 0;
      const takesMore = count < (most[one] ?? 0) && priceAt(index + stride) === priceAt(index);
      const isDivisible =
        count > 0 && index !== stride && priceAt(index) >= priceAt(index - stride) + priceAt(stride) - 1e-12;
      return !takesMore && !isDivisible;
    });
  const loads: Load[] = [];
  for (let index = 1; index < total; index++) {
    const price = priceAt(index);
    const counts = Number.isFinite(price) ? countsOf(index) : undefined;
    if (counts !== undefined && isUseful(counts, index)) loads.push({ counts, price });
  }
  return loads;
}

function mostOn({ count, mostPerHost }: PodClass): number {
  return Math.min(count, mostPerHost);
}

function priceOf(counts: readonly number[], classes: readonly PodClass[], machines: readonly Machine[]): number {
  const used = (classes[0]?.size ?? []).map((_, resource) =>
    counts.reduce((sum, count, one) => sum + count * (classes[one]?.size[resource] ?? 0), 0),
  );
  const machine = machines.find(
    ({ size, admits }) =>
      // The sizes are quotients of whole numbers: an exact fit must not fall victim to rounding.
      used.every((amount, resource) => amount <= (size[resource] ?? 0) * (1 + 1e-9)) &&
      counts.every((count, one) => count === 0 || admits[one]),
  );
  return machine?.price ?? Number.POSITIVE_INFINITY;
}
