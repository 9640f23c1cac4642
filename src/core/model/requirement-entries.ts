import {
  acceptsAbsence,
  impossible,
  intersection,
  makeRequirement,
  type NodeTerm,
  operatorOf,
  type Requirement,
  type RequirementOperator,
  type Requirements,
} from "./requirements.ts";

/** A requirement as manifests write it. A key may come up in several, all of which hold. */
export interface RequirementEntry {
  readonly key: string;
  readonly operator: RequirementOperator;
  readonly values: readonly string[];
  readonly minValues: number | undefined;
}

export function fromEntries(entries: readonly RequirementEntry[]): Requirements {
  const requirements = new Map<string, Requirement>();
  for (const { key, operator, values, minValues } of entries) {
    const requirement = makeRequirement(operator, values, minValues);
    const known = requirements.get(key);
    requirements.set(key, known === undefined ? requirement : intersection(known, requirement));
  }
  return requirements;
}

/**
 * The expressions of one node selector term. Unlike an intersection, where nothing in common means that the label is
 * absent, expressions that contradict each other hold on no node.
 */
export function nodeTerm(expressions: readonly Omit<RequirementEntry, "minValues">[]): NodeTerm {
  const term = new Map<string, Requirement>();
  for (const { key, operator, values } of expressions) {
    const requirement = makeRequirement(operator, values);
    const known = term.get(key);
    term.set(key, known === undefined ? requirement : conjunction(known, requirement));
  }
  return term;
}

function conjunction(a: Requirement, b: Requirement): Requirement {
  const both = intersection(a, b);
  const isContradiction = operatorOf(both) === "DoesNotExist" && !(acceptsAbsence(a) && acceptsAbsence(b));
  return isContradiction ? impossible : both;
}

/** Sorted by key, values sorted. Reading them back gives the same requirements. */
export function toEntries(requirements: Requirements): RequirementEntry[] {
  const keys = [...requirements.keys()].sort();
  return keys.flatMap((key) => entriesFor(key, requirements.get(key) ?? impossible));
}

function entriesFor(key: string, requirement: Requirement): RequirementEntry[] {
  const { atLeast, atMost, minValues } = requirement;
  const entries: RequirementEntry[] = [];
  if (atLeast !== undefined) entries.push({ key, operator: "Gte", values: [String(atLeast)], minValues });
  if (atMost !== undefined) entries.push({ key, operator: "Lte", values: [String(atMost)], minValues });
  const operator = operatorOf(requirement);
  // A bound already says that the label exists.
  if (operator === "Exists" && entries.length > 0) return entries;
  return [...entries, { key, operator, values: [...requirement.values].sort(), minValues }];
}

/** For people: `zone In [a b c d e and 3 others]`, `cpu Exists >=3 <=8 minValues 2`. */
export function describeRequirement(key: string, requirement: Requirement): string {
  const { values, atLeast, atMost, minValues } = requirement;
  const words = [key, operatorOf(requirement)];
  if (values.size > 0) words.push(`[${describeValues(values)}]`);
  if (atLeast !== undefined) words.push(`>=${atLeast}`);
  if (atMost !== undefined) words.push(`<=${atMost}`);
  if (minValues !== undefined) words.push(`minValues ${minValues}`);
  return words.join(" ");
}

const describedValues = 5;

function describeValues(values: ReadonlySet<string>): string {
  const sorted = [...values].sort();
  const rest = sorted.length - describedValues;
  const named = sorted.slice(0, describedValues).join(" ");
  return rest > 0 ? `${named} and ${rest} others` : named;
}
