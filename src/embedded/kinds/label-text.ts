import type { LabelSelector } from "kubernetes-types/meta/v1.js";

/** As in `app=web,tier=front`, sorted by key. */
export function formatLabels(labels: Readonly<Record<string, string>> | undefined): string {
  const pairs = sortedEntries(labels ?? {}).map(([key, value]) => `${key}=${value}`);
  return pairs.length === 0 ? "<none>" : pairs.join(",");
}

/** A selector as the server shows it in tables: `<none>` where everything or nothing is selected. */
export function formatSelector(selector: LabelSelector | undefined): string {
  const text = selectorText(selector);
  return text === "" ? "<none>" : text;
}

const operators = ["In", "NotIn", "Exists", "DoesNotExist"];

/** The same selector in the query language of label selectors; `<error>` where it makes no sense. */
export function selectorText(selector: LabelSelector | undefined): string {
  const parts: { key: string; text: string }[] = Object.entries(selector?.matchLabels ?? {}).map(([key, value]) => ({
    key,
    text: `${key}=${value}`,
  }));
  for (const { key, operator, values = [] } of selector?.matchExpressions ?? []) {
    const needsValues = operator === "In" || operator === "NotIn";
    if (!operators.includes(operator) || needsValues !== values.length > 0) return "<error>";
    parts.push({ key, text: expressionText(key, operator, values) });
  }
  return parts
    .sort((a, b) => compareText(a.key, b.key))
    .map(({ text }) => text)
    .join(",");
}

function expressionText(key: string, operator: string, values: readonly string[]): string {
  if (operator === "Exists") return key;
  if (operator === "DoesNotExist") return `!${key}`;
  const list = [...values].sort(compareText).join(",");
  return `${key} ${operator === "In" ? "in" : "notin"} (${list})`;
}

function sortedEntries(labels: Readonly<Record<string, string>>): [string, string][] {
  return Object.entries(labels).sort(([a], [b]) => compareText(a, b));
}

export function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
