import type { RequirementEntry } from "../model/requirement-entries.ts";
import { intersection, makeRequirement, type NodeTerm, type Requirement } from "../model/requirements.ts";
import type { Field } from "./field.ts";
import { comparesNumbers, readRequirement } from "./read-requirement.ts";
import { checkValueCount } from "./read-selector.ts";

/**
 * The matchExpressions of a term of a node selector, put together by key. Undefined when no node can satisfy it: it is
 * empty, which matches nothing, or it contradicts itself.
 */
export function readNodeTerm(
  term: Field,
  check?: (item: Field, entry: RequirementEntry) => void,
): NodeTerm | undefined {
  const entries: RequirementEntry[] = [];
  for (const item of term.at("matchExpressions").items()) {
    const entry = readRequirement(item);
    if (entry === undefined) continue;
    if (!comparesNumbers(entry.operator)) checkValueCount(item.at("values"), entry.operator, entry.values);
    check?.(item, entry);
    entries.push(entry);
  }
  return entries.length === 0 ? undefined : joinEntries(entries);
}

/** Undefined when no label value, nor its absence, satisfies all the entries of some key. */
export function joinEntries(entries: readonly RequirementEntry[]): NodeTerm | undefined {
  const term = new Map<string, Requirement>();
  const keysThatMustExist = new Set<string>();
  for (const { key, operator, values, minValues } of entries) {
    const requirement = makeRequirement(operator, values, minValues);
    const other = term.get(key);
    term.set(key, other === undefined ? requirement : intersection(other, requirement));
    if (operator !== "NotIn" && operator !== "DoesNotExist") keysThatMustExist.add(key);
  }
  for (const key of keysThatMustExist) {
    const requirement = term.get(key);
    if (requirement !== undefined && !requirement.isComplement && requirement.values.size === 0) return undefined;
  }
  return term;
}
