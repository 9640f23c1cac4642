import { integerOf, largestInteger, smallestInteger } from "./integer.ts";
import type { Labels } from "./labels.ts";

/**
 * What one label of a node may be. Bounds are inclusive integers; with one set, only integers within it qualify. Only a
 * complement has bounds: a list of values leaves out those beyond them.
 */
export interface Requirement {
  /** Set: every value but those listed. Not set: only those listed. */
  readonly isComplement: boolean;
  readonly values: ReadonlySet<string>;
  readonly atLeast: bigint | undefined;
  readonly atMost: bigint | undefined;
  /** How many distinct values a launch must leave open. */
  readonly minValues: number | undefined;
}

export type Requirements = ReadonlyMap<string, Requirement>;

export type RequirementOperator = "In" | "NotIn" | "Exists" | "DoesNotExist" | "Gt" | "Lt" | "Gte" | "Lte";

/** All of these must hold on a node's labels. An empty term holds on every node, unlike an empty one in a manifest. */
export type NodeTerm = Requirements;

const none: ReadonlySet<string> = new Set();

/** Any value will do, but the label has to be there. */
export const anyLabelValue: Requirement = {
  isComplement: true,
  values: none,
  atLeast: undefined,
  atMost: undefined,
  minValues: undefined,
};

const absent: Requirement = { ...anyLabelValue, isComplement: false };

/** No value will do, and neither will absence. */
const impossible: Requirement = { ...anyLabelValue, atLeast: 1n, atMost: 0n };

/** A numeric operator without exactly one integer is a mistake that nothing satisfies. */
export function makeRequirement(
  operator: RequirementOperator,
  values: readonly string[],
  minValues?: number | undefined,
): Requirement {
  switch (operator) {
    case "In":
      return { ...absent, values: new Set(values), minValues };
    case "NotIn":
      return { ...anyLabelValue, values: new Set(values), minValues };
    case "Exists":
      return { ...anyLabelValue, minValues };
    case "DoesNotExist":
      return { ...absent, minValues };
    case "Gt":
    case "Lt":
    case "Gte":
    case "Lte":
      return bounded(operator, values, minValues);
  }
}

function bounded(operator: "Gt" | "Lt" | "Gte" | "Lte", values: readonly string[], minValues: number | undefined) {
  const integer = values.length === 1 ? integerOf(values[0] ?? "") : undefined;
  if (integer === undefined) return impossible;
  const limit = BigInt(integer);
  switch (operator) {
    case "Gt":
      return limit === largestInteger ? absent : { ...anyLabelValue, atLeast: limit + 1n, minValues };
    case "Lt":
      return limit === smallestInteger ? absent : { ...anyLabelValue, atMost: limit - 1n, minValues };
    case "Gte":
      return { ...anyLabelValue, atLeast: limit, minValues };
    case "Lte":
      return { ...anyLabelValue, atMost: limit, minValues };
  }
}

/** Bounds do not show: `Gt 3` reports as Exists, because the label has to be there. */
export function operatorOf(requirement: Requirement): "In" | "NotIn" | "Exists" | "DoesNotExist" {
  if (requirement.isComplement) return requirement.values.size > 0 ? "NotIn" : "Exists";
  return requirement.values.size > 0 ? "In" : "DoesNotExist";
}

export function has(requirement: Requirement, value: string): boolean {
  return (
    requirement.values.has(value) !== requirement.isComplement &&
    isWithin(value, requirement.atLeast, requirement.atMost)
  );
}

function isWithin(value: string, atLeast: bigint | undefined, atMost: bigint | undefined): boolean {
  if (atLeast === undefined && atMost === undefined) return true;
  const integer = integerOf(value);
  if (integer === undefined) return false;
  return (atLeast === undefined || integer >= atLeast) && (atMost === undefined || integer <= atMost);
}

/** Whether a node without the label satisfies it. A bound asks for an integer, whatever else is excluded. */
export function acceptsAbsence(requirement: Requirement): boolean {
  if (!requirement.isComplement) return requirement.values.size === 0;
  return requirement.values.size > 0 && requirement.atLeast === undefined && requirement.atMost === undefined;
}

/** What satisfies both. Where no value does, that is DoesNotExist. */
export function intersection(a: Requirement, b: Requirement): Requirement {
  if (a === b) return a;
  const atLeast = larger(a.atLeast, b.atLeast);
  const atMost = smaller(a.atMost, b.atMost);
  const minValues = larger(a.minValues, b.minValues);
  if (areCrossed(atLeast, atMost)) return { ...absent, minValues };
  if (a.isComplement && b.isComplement) {
    const excluded = new Set<string>();
    for (const value of a.values) if (isWithin(value, atLeast, atMost)) excluded.add(value);
    for (const value of b.values) if (isWithin(value, atLeast, atMost)) excluded.add(value);
    return { isComplement: true, values: excluded, atLeast, atMost, minValues };
  }
  const [listed, other] = a.isComplement ? [b, a] : [a, b];
  const values = new Set<string>();
  for (const value of listed.values) if (has(other, value)) values.add(value);
  return { ...absent, values, minValues };
}

/** Whether some value satisfies both; says the same as the intersection, without making it. */
export function hasIntersection(a: Requirement, b: Requirement): boolean {
  if (areCrossed(larger(a.atLeast, b.atLeast), smaller(a.atMost, b.atMost))) return false;
  if (a.isComplement && b.isComplement) return true;
  const [listed, other] = a.isComplement || (!b.isComplement && b.values.size < a.values.size) ? [b, a] : [a, b];
  for (const value of listed.values) if (has(other, value)) return true;
  return false;
}

function areCrossed(atLeast: bigint | undefined, atMost: bigint | undefined): boolean {
  return atLeast !== undefined && atMost !== undefined && atLeast > atMost;
}

function larger<T extends number | bigint>(a: T | undefined, b: T | undefined): T | undefined {
  if (a === undefined) return b;
  return b === undefined || a > b ? a : b;
}

function smaller<T extends number | bigint>(a: T | undefined, b: T | undefined): T | undefined {
  if (a === undefined) return b;
  return b === undefined || a < b ? a : b;
}

/**
 * A value that satisfies the requirement, always the same one: the first of those listed, else the integer nearest to
 * zero or to its bound that is not excluded. Empty when there is none.
 */
export function anyValue(requirement: Requirement): string {
  const { isComplement, values, atLeast, atMost = largestInteger } = requirement;
  if (!isComplement) return [...values].sort()[0] ?? "";
  const start = atLeast ?? (atMost < 0n ? atMost : 0n);
  for (let candidate = start; candidate <= atMost; candidate++) {
    if (!values.has(String(candidate))) return String(candidate);
  }
  if (atLeast !== undefined) return "";
  for (let candidate = start; candidate >= smallestInteger; candidate--) {
    if (!values.has(String(candidate))) return String(candidate);
  }
  return "";
}

/** What the set says about a label; a label it does not mention may be anything. */
export function requirementFor(requirements: Requirements, key: string): Requirement {
  return requirements.get(key) ?? anyLabelValue;
}

/** What satisfies every one of the sets. */
export function intersectAll(...sets: readonly Requirements[]): Requirements {
  const filled = sets.filter((set) => set.size > 0);
  if (filled.length === 1 && filled[0] !== undefined) return filled[0];
  const combined = new Map<string, Requirement>();
  for (const set of filled) {
    for (const [key, requirement] of set) {
      const known = combined.get(key);
      combined.set(key, known === undefined ? requirement : intersection(known, requirement));
    }
  }
  return combined;
}

/** A label on which no node can satisfy both sets. What only one of them mentions is no conflict. */
export function conflictingKey(a: Requirements, b: Requirements): string | undefined {
  const [few, many] = a.size < b.size ? [a, b] : [b, a];
  for (const key of few.keys()) {
    const one = few.get(key);
    const other = many.get(key);
    if (one === undefined || other === undefined || hasIntersection(one, other)) continue;
    if (!acceptsAbsence(one) || !acceptsAbsence(other)) return key;
  }
  return undefined;
}

/**
 * A label that keeps what `offered` describes from serving what `asked` demands: they conflict on it, or it is demanded
 * and never promised. A label in `allowUndefined` need not be promised. Not symmetric.
 */
export function incompatibleKey(
  offered: Requirements,
  asked: Requirements,
  allowUndefined: ReadonlySet<string>,
): string | undefined {
  for (const key of asked.keys()) {
    if (!offered.has(key) && !allowUndefined.has(key) && !acceptsAbsence(requirementFor(asked, key))) return key;
  }
  return conflictingKey(offered, asked);
}

/** Whether kube-scheduler would find the term true of a node with these labels. */
export function holdsOn(term: NodeTerm, labels: Labels): boolean {
  return unmetKey(term, labels) === undefined;
}

/** The first label that makes the term untrue of a node. */
export function unmetKey(term: NodeTerm, labels: Labels): string | undefined {
  // By key, because this runs for every term on every node, and V8 allocates each pair that a Map hands out.
  for (const key of term.keys()) {
    const requirement = requirementFor(term, key);
    const value = labels.get(key);
    if (value === undefined ? !acceptsAbsence(requirement) : !has(requirement, value)) return key;
  }
  return undefined;
}

/** Each label with exactly its value. */
export function requirementsFromLabels(labels: Labels): Requirements {
  const requirements = new Map<string, Requirement>();
  for (const [key, value] of labels) requirements.set(key, makeRequirement("In", [value]));
  return requirements;
}
