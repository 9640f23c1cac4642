/** The same text for values that say the same, such as specs of pods, in whatever order they were written. */
export function canonicalText(value: unknown): string {
  return JSON.stringify(value, (_, value: unknown) => {
    if (value instanceof Map) return ["map", ...[...value.entries()].sort(byFirst)];
    if (value instanceof Set) return ["set", ...[...value].sort()];
    return typeof value === "bigint" ? `${value}n` : value;
  });
}

function byFirst([a]: [string, unknown], [b]: [string, unknown]): number {
  return a < b ? -1 : 1;
}
