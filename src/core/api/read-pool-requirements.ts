import { integerOf } from "../model/integer.ts";
import { capacityTypeLabel, nodePoolLabel } from "../model/labels.ts";
import { intersection, makeRequirement, type Requirement, type Requirements } from "../model/requirements.ts";
import type { Field } from "./field.ts";
import { joinEntries } from "./read-node-term.ts";
import {
  checkRequirement,
  comparesNumbers,
  countCapacityTypes,
  listOf,
  type RequirementEntry,
  readRequirement,
} from "./read-requirement.ts";

/** The requirements of a pool's template; those of one key are put together. */
export function readPoolRequirements(field: Field): Requirements {
  const requirements = new Map<string, Requirement>();
  const entries: RequirementEntry[] = [];
  for (const item of field.items(100)) {
    const entry = readRequirement(item);
    if (entry === undefined) continue;
    const minValues = item.at("minValues").integer(1, 50);
    checkPoolRequirement(item, entry, minValues);
    entries.push(entry);
    const requirement = makeRequirement(entry.operator, entry.values, minValues);
    const other = requirements.get(entry.key);
    requirements.set(entry.key, other === undefined ? requirement : intersection(other, requirement));
  }
  if (joinEntries(entries) === undefined) field.note("must not contradict each other: no node could meet them all");
  return requirements;
}

function checkPoolRequirement(item: Field, entry: RequirementEntry, minValues: number | undefined): void {
  const { key, operator, values } = entry;
  if (key === nodePoolLabel) item.at("key").note(`must not be ${key}: every node gets the name of its own pool`);
  else checkRequirement(item, entry);
  if (comparesNumbers(operator) && (integerOf(values[0] ?? "") ?? 0) < 0) {
    item.at("values").note(`must not be negative, found ${listOf(values)}`);
  }
  if (operator !== "In" || minValues === undefined) return;
  const count = key === capacityTypeLabel ? countCapacityTypes(values) : values.length;
  if (minValues > count)
    item.at("minValues").note(`must be at most the number of values, ${count}, found ${minValues}`);
}
