const unitMilliseconds: Readonly<Record<string, number>> = { h: 3_600_000, m: 60_000, s: 1_000 };

/** About 292 years, the longest that Go knows; whatever is added to now stays a date. */
const longestDuration = 9_223_372_036_854;

/** Milliseconds of a duration such as "1h30m"; undefined for anything else, "Never" included. */
export function parseDuration(text: string): number | undefined {
  if (!/^(?:\d+[hms])+$/.test(text)) return undefined;
  let milliseconds = 0;
  for (const [, amount, unit] of text.matchAll(/(\d+)([hms])/g)) {
    milliseconds += Number(amount) * (unitMilliseconds[unit ?? ""] ?? 0);
  }
  return Math.min(milliseconds, longestDuration);
}

/** As manifests have it: "1h30m", and "Never" for undefined. Rounds down to whole seconds, the least that they can say. */
export function formatDuration(milliseconds: number | undefined): string {
  if (milliseconds === undefined) return "Never";
  const seconds = Math.floor(milliseconds / 1000);
  const parts: [number, string][] = [
    [Math.floor(seconds / 3600), "h"],
    [Math.floor(seconds / 60) % 60, "m"],
    [seconds % 60, "s"],
  ];
  return (
    parts
      .filter(([amount]) => amount > 0)
      .map(([amount, unit]) => `${amount}${unit}`)
      .join("") || "0s"
  );
}
