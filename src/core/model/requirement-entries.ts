import { operatorOf, type Requirement, type RequirementOperator, type Requirements } from "./requirements.ts";

/** A requirement as manifests write it. A key may come up in several, all of which hold. */
export interface RequirementEntry {
  readonly key: string;
  readonly operator: RequirementOperator;
  readonly values: readonly string[];
  readonly minValues: number | undefined;
}

/** Sorted by key, values sorted. Reading them back gives the same requirements. */
export function toEntries(requirements: Requirements): RequirementEntry[] {
  const sorted = [...requirements].sort(([left], [right]) => (left < right ? -1 : 1));
  return sorted.flatMap(([key, requirement]) => entriesFor(key, requirement));
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

/** For people: `zone In [a b c d e and 3 others]`, `cpu >= 3 and <= 8 minValues 2`, `cpu NotIn [5] and >= 3`. */
export function describeRequirement(key: string, requirement: Requirement): string {
  const { values, atLeast, atMost, minValues } = requirement;
  const bounds: string[] = [];
  if (atLeast !== undefined) bounds.push(`>= ${atLeast}`);
  if (atMost !== undefined) bounds.push(`<= ${atMost}`);
  const operator = operatorOf(requirement);
  const listed = values.size > 0 ? `${operator} [${describeValues(values)}]` : operator;
  // A bound already says that the label exists.
  const clauses = operator === "Exists" && bounds.length > 0 ? bounds : [listed, ...bounds];
  const words = `${key} ${clauses.join(" and ")}`;
  return minValues === undefined ? words : `${words} minValues ${minValues}`;
}

const describedValues = 5;

function describeValues(values: ReadonlySet<string>): string {
  const sorted = [...values].sort();
  const rest = sorted.length - describedValues;
  const named = sorted.slice(0, describedValues).join(" ");
  return rest > 0 ? `${named} and ${rest} others` : named;
}
