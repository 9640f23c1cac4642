import { readClaimTags } from "../../src/adapters/aws/launch/claim-tags.ts";
import type { Labels } from "../../src/core/model/labels.ts";

/**
 * Machines that are too many, by their tags alone: if each claim had at most one machine, every machine could be given
 * to one of the claims that it names, and no claim to two.
 */
export function findDoubles<T extends { readonly tags: Labels }>(machines: readonly T[]): readonly T[] {
  const holders = new Map<string, T>();
  const give = (machine: T, tried: Set<string>): boolean => {
    for (const name of readClaimTags(machine.tags)) {
      if (tried.has(name)) continue;
      tried.add(name);
      const holder = holders.get(name);
      if (holder === undefined || give(holder, tried)) {
        holders.set(name, machine);
        return true;
      }
    }
    return false;
  };
  return machines.filter((machine) => !give(machine, new Set()));
}
