import type { Result } from "./lines.ts";
import type { Attempt } from "./planners.ts";

/**
 * One result for several attempts at the same scenario: the median time, and the cheapest plan, since the peer's plans
 * differ from run to run. An attempt that did not come to an end decides.
 */
export function resultOf(pods: number, attempts: readonly Attempt[]): Result {
  const done = attempts.filter((attempt) => attempt.kind === "done");
  const failed = attempts.find((attempt) => attempt.kind !== "done");
  if (failed?.kind === "timeout") return { outcome: "timeout", seconds: toDigits(failed.seconds) };
  const [best] = done.toSorted((a, b) => a.verdict.costPerHour - b.verdict.costPerHour);
  if (failed !== undefined || best === undefined) return { outcome: "failed", reason: failed?.reason ?? "never tried" };
  const seconds = median(done.map((attempt) => attempt.seconds));
  const violations = Math.max(...done.map(({ verdict }) => verdict.violations));
  const examples = done.flatMap(({ verdict }) => verdict.examples).slice(0, 3);
  return {
    outcome: "done",
    seconds: toDigits(seconds),
    podsPerSecond: Math.round(pods / seconds),
    costPerHour: toDigits(best.verdict.costPerHour),
    nodes: best.verdict.nodes,
    violations,
    ...(violations > 0 ? { examples } : {}),
    preferencesHonoured: best.verdict.preferencesHonoured,
  };
}

/** Of an even number, the mean of the middle two. */
export function median(numbers: readonly number[]): number {
  const sorted = numbers.toSorted((a, b) => a - b);
  const middle = sorted.length / 2;
  const [low = Number.NaN, high = Number.NaN] = [sorted[Math.ceil(middle) - 1], sorted[Math.floor(middle)]];
  return (low + high) / 2;
}

/** When the time ran out, the time that it had. */
export function secondsOf(result: Result | null | undefined): number | null {
  return result?.outcome === "done" || result?.outcome === "timeout" ? result.seconds : null;
}

export function costOf(result: Result | null): number | null {
  return result?.outcome === "done" ? result.costPerHour : null;
}

/** Null when either is not known. */
export function ratio(one: number | null, other: number | null): number | null {
  return one === null || other === null || other === 0 ? null : toDigits(one / other);
}

export function toDigits(amount: number): number {
  return Number(amount.toPrecision(6));
}

export function inMegabytes(bytes: number): number {
  return Math.round(bytes / 2 ** 20);
}
