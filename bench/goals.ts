import type { CostLine, FastLine, GrowthLine, MemoryLine, Result } from "./lines.ts";
import type { Kind } from "./scenarios.ts";

export const speedRatioGoal = 10;
export const costRatioGoal = 1;
export const growthGoal = 1.5;
export const peakMemoryMbGoal = 300;
/** Improving a plan may take as long as the peer takes, and always this long. */
export const allowedSecondsAlways = 1;

const costToBoundGoals: Readonly<Partial<Record<Kind, number>>> = {
  uniform: 1.02,
  lopsided: 1.03,
  fleet: 1.1,
  diverse: 1.25,
};
const unconstrainedGoal = 1.15;

export function costToBoundGoal(kind: Kind, pool: "typical" | "any"): number | undefined {
  return pool === "any" ? unconstrainedGoal : costToBoundGoals[kind];
}

function isValid(result: Result): boolean {
  return result.outcome === "done" && result.violations === 0;
}

/** Fast plans are valid, ten times as fast as the peer's, no dearer, and honour preferences no less. */
export function judgeFast({ ours, peer, speedRatio, costRatio }: Omit<FastLine, "met">): boolean | null {
  if (ours.outcome !== "done" || !isValid(ours)) return false;
  if (peer === null || peer.outcome === "failed" || speedRatio === null) return null;
  if (speedRatio < speedRatioGoal) return false;
  if (peer.outcome === "timeout" || costRatio === null) return true;
  const isNoDearer = costRatio <= costRatioGoal + 1e-9;
  return isNoDearer && (ours.preferencesHonoured ?? 0) >= (peer.preferencesHonoured ?? 0);
}

export function judgeCost({ ours, peer, costToBound, goal, allowedSeconds }: Omit<CostLine, "met">): boolean | null {
  if (ours.outcome !== "done" || !isValid(ours)) return false;
  if (goal === null || costToBound === null) return null;
  if (costToBound > goal.costToBound) return false;
  if (ours.seconds <= allowedSeconds) return true;
  return peer === null || peer.outcome === "failed" ? null : false;
}

export function judgeGrowth({ small, large, growth }: Omit<GrowthLine, "met">): boolean {
  return growth !== null && growth <= growthGoal && isValid(small.result) && isValid(large.result);
}

export function judgeMemory({ peakMemoryMb }: Omit<MemoryLine, "met">): boolean {
  return peakMemoryMb !== null && peakMemoryMb < peakMemoryMbGoal;
}
