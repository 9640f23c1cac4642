import type { InstanceType } from "../model/instance-type.ts";
import type { NodePool } from "../model/node-pool.ts";
import type { Requirements } from "../model/requirements.ts";

/** A pool may demand that every launch leaves the cloud a choice of at least so many values of a label. */
export type MinValues = readonly { readonly key: string; readonly least: number }[];

export function minValuesOf({ requirements }: NodePool): MinValues {
  const demands: { key: string; least: number }[] = [];
  for (const [key, { minValues }] of requirements) if (minValues !== undefined) demands.push({ key, least: minValues });
  return demands;
}

/** How many values of the label these types offer together. */
function countValues(key: string, types: Iterable<InstanceType>): number {
  const values = new Set<string>();
  for (const { requirements, offerings } of types) {
    for (const value of requirements.get(key)?.values ?? []) values.add(value);
    for (const offering of offerings) {
      if (offering.isAvailable) for (const value of offering.requirements.get(key)?.values ?? []) values.add(value);
    }
  }
  return values.size;
}

/** The first demand that these types do not meet. */
export function unmetMinValues(
  demands: MinValues,
  types: Iterable<InstanceType>,
): { key: string; wanted: number; found: number } | undefined {
  const list = [...types];
  for (const { key, least } of demands) {
    const found = countValues(key, list);
    if (found < least) return { key, wanted: least, found };
  }
  return undefined;
}

/** Lowers each minValues to what the types offer. */
export function lowerMinValues(requirements: Requirements, types: readonly InstanceType[]): Requirements {
  const lowered = new Map(requirements);
  for (const [key, requirement] of requirements) {
    if (requirement.minValues === undefined) continue;
    lowered.set(key, { ...requirement, minValues: Math.min(requirement.minValues, countValues(key, types)) });
  }
  return lowered;
}

/** A type with what it has for pods. */
export interface SizedType {
  readonly type: InstanceType;
  readonly capacity: Float64Array;
}

/**
 * How much of a machine can be used so that enough other types hold the same: types are taken in the order of how much
 * of the machine they cover, until they meet the demands. Undefined when all of them together do not.
 */
export function flexibleCapacity(
  machine: SizedType,
  others: readonly SizedType[],
  demands: MinValues,
): Float64Array | undefined {
  const byCoverage = others
    .map((other) => ({ other, share: coverage(other.capacity, machine.capacity) }))
    .sort((a, b) => b.share - a.share || (a.other.type.name < b.other.type.name ? -1 : 1));
  const taken = [machine.type];
  const capacity = machine.capacity.slice();
  if (unmetMinValues(demands, taken) === undefined) return capacity;
  for (const { other } of byCoverage) {
    taken.push(other.type);
    for (let index = 0; index < capacity.length; index++)
      capacity[index] = Math.min(capacity[index]!, other.capacity[index]!);
    if (unmetMinValues(demands, taken) === undefined) return capacity;
  }
  return undefined;
}

function coverage(other: Float64Array, machine: Float64Array): number {
  let share = 1;
  for (let index = 0; index < machine.length; index++) {
    if (machine[index]! > 0) share = Math.min(share, other[index]! / machine[index]!);
  }
  return share;
}

export function namedTypes(pool: NodePool, names: readonly string[]): InstanceType[] {
  const wanted = new Set(names);
  return pool.instanceTypes.filter(({ name }) => wanted.has(name));
}
