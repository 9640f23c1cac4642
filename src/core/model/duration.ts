const unitMilliseconds: Readonly<Record<string, number>> = { h: 3_600_000, m: 60_000, s: 1_000 };

/** Milliseconds of a duration such as "1h30m"; undefined for anything else. */
export function parseDuration(text: string): number | undefined {
  if (!/^(?:\d{1,9}[hms])+$/.test(text)) return undefined;
  let milliseconds = 0;
  for (const [, amount, unit] of text.matchAll(/(\d+)([hms])/g)) {
    milliseconds += Number(amount) * (unitMilliseconds[unit ?? ""] ?? 0);
  }
  return milliseconds;
}
