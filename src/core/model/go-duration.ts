const unitMilliseconds: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
};

/** Milliseconds of a duration as Go writes them: "1h30m", "1.5h", "-10ms", "0"; undefined for anything else. */
export function parseGoDuration(text: string): number | undefined {
  if (text.length > 100) return undefined;
  const sign = text.startsWith("-") ? -1 : 1;
  const rest = text.replace(/^[+-]/, "");
  if (rest === "0") return 0;
  if (!/^(?:(?:\d+\.?\d*|\.\d+)(?:ns|us|µs|ms|s|m|h))+$/.test(rest)) return undefined;
  let milliseconds = 0;
  for (const [, amount, unit] of rest.matchAll(/(\d+\.?\d*|\.\d+)(ns|us|µs|ms|s|m|h)/g)) {
    milliseconds += Number(amount) * (unitMilliseconds[unit ?? ""] ?? 0);
  }
  return sign * milliseconds;
}
