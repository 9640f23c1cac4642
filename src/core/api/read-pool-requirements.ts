import { integerOf } from "../model/integer.ts";
import { capacityTypeLabel, isProvisionerName, nodePoolLabel } from "../model/labels.ts";
import type { RequirementEntry } from "../model/requirement-entries.ts";
import type { Requirements } from "../model/requirements.ts";
import type { Field } from "./field.ts";
import { joinEntries } from "./read-node-term.ts";
import { checkRequirement, comparesNumbers, isCapacityType, listOf, readRequirement } from "./read-requirement.ts";

/** The requirements of a pool's template; those of one key are put together. */
export function readPoolRequirements(field: Field): Requirements {
  const entries: RequirementEntry[] = [];
  for (const item of field.items(100)) {
    const entry = readRequirement(item);
    if (entry === undefined) continue;
    checkPoolRequirement(item, entry);
    entries.push(entry);
  }
  const requirements = joinEntries(entries);
  if (requirements === undefined) field.note("must not contradict each other, but no node could meet them all");
  return requirements ?? new Map();
}

function checkPoolRequirement(item: Field, entry: RequirementEntry): void {
  const { key, operator, values, minValues } = entry;
  if (key === nodePoolLabel || isProvisionerName(key)) {
    item.at("key").note(`must not be ${key}: every node gets the name of its own pool`);
  } else checkRequirement(item, entry);
  if (comparesNumbers(operator) && (integerOf(values[0] ?? "") ?? 0) < 0) {
    item.at("values").note(`must not be negative, found ${listOf(values)}`);
  }
  if (operator !== "In" || minValues === undefined) return;
  const count = key === capacityTypeLabel ? values.filter(isCapacityType).length : values.length;
  if (minValues > count)
    item.at("minValues").note(`must be at most the number of values, ${count}, found ${minValues}`);
}
