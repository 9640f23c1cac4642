import type { InstanceType } from "./instance-type.ts";
import { capacityTypeLabel, instanceTypeLabel, type Labels, zoneLabel } from "./labels.ts";
import { has } from "./requirements.ts";

/** By the list that they are in, which is another when anything about them has changed. */
const typesByName = new WeakMap<readonly InstanceType[], ReadonlyMap<string, InstanceType>>();

export function findInstanceType(types: readonly InstanceType[], name: string): InstanceType | undefined {
  let byName = typesByName.get(types);
  if (byName === undefined) {
    byName = new Map(types.map((type) => [type.name, type]));
    typesByName.set(types, byName);
  }
  return byName.get(name);
}

/** What the catalogue asks for a machine with these labels, whether or not it can be bought now; undefined if nothing. */
export function nodePrice(labels: Labels, types: readonly InstanceType[]): number | undefined {
  const type = findInstanceType(types, labels.get(instanceTypeLabel) ?? "");
  return type?.offerings.find(({ requirements }) =>
    [zoneLabel, capacityTypeLabel].every((key) => {
      const requirement = requirements.get(key);
      return requirement !== undefined && has(requirement, labels.get(key) ?? "");
    }),
  )?.price;
}
