import type { PodSpec } from "./pod.ts";

/** The same text for specs that say the same, whatever notation or order they were written in. */
export function canonicalText(spec: PodSpec): string {
  return JSON.stringify(spec, (_, value: unknown) => {
    if (value instanceof Map) return ["map", ...[...value.entries()].sort(byFirst)];
    if (value instanceof Set) return ["set", ...[...value].sort()];
    return typeof value === "bigint" ? `${value}n` : value;
  });
}

function byFirst([a]: [string, unknown], [b]: [string, unknown]): number {
  return a < b ? -1 : 1;
}
