import { isSameValue } from "./same-value.ts";

const mostLines = 20;

/** What is different between two values, a line each, for those who are told that they may not change it. */
export function describeChanges(before: unknown, after: unknown): string {
  const lines = changedLines(before, after, "");
  const more = lines.length > mostLines ? [`… and ${lines.length - mostLines} more`] : [];
  return [...lines.slice(0, mostLines), ...more].join("\n");
}

function changedLines(before: unknown, after: unknown, path: string): string[] {
  if (isSameValue(before, after)) return [];
  if (isNested(before) && isNested(after) && Array.isArray(before) === Array.isArray(after)) {
    const keys = new Set([...Object.keys(before), ...Object.keys(after)]);
    return [...keys].flatMap((key) => {
      const at = Array.isArray(before) ? `${path}[${key}]` : path === "" ? key : `${path}.${key}`;
      return changedLines(before[key], after[key], at);
    });
  }
  return [
    ...(before === undefined ? [] : [`- ${path}: ${JSON.stringify(before)}`]),
    ...(after === undefined ? [] : [`+ ${path}: ${JSON.stringify(after)}`]),
  ];
}

function isNested(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}
