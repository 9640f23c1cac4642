import type { Effort } from "./planners.ts";
import type { Kind } from "./scenarios.ts";

/** A planner's numbers on one scenario. */
export interface Score {
  readonly seconds: number;
  readonly podsPerSecond: number;
  readonly costPerHour: number;
  readonly nodes: number;
  readonly violations: number;
  /** What was violated, in words, when anything was. */
  readonly examples?: readonly string[];
  /** By weight; null when the pods prefer nothing. */
  readonly preferencesHonoured: number | null;
}

/** Or why there are no numbers. When the time ran out the true time is at least `seconds`. */
export type Result =
  | (Score & { readonly outcome: "done" })
  | { readonly outcome: "timeout"; readonly seconds: number }
  | { readonly outcome: "failed"; readonly reason: string };

/** What is measured. */
export interface Subject {
  readonly kind: Kind;
  readonly seed: number;
  /** typical: the c, m and r families; any: all 853 instance types. */
  readonly pool: "typical" | "any";
}

interface Judged extends Subject {
  /** Whether the goal is met; null when it cannot be told without the peer, or there is none. */
  readonly met: boolean | null;
}

export interface MachineLine {
  readonly measure: "machine";
  readonly date: string;
  readonly cpu: string;
  readonly cores: number;
  readonly memoryGb: number;
  readonly system: string;
  readonly node: string;
  /** Null when the peer is left out, and then `peerSkipped` says why. */
  readonly go: string | null;
  readonly peerSkipped?: string;
}

export interface FastLine extends Judged {
  readonly measure: "fast";
  readonly pods: number;
  readonly ours: Result;
  readonly peer: Result | null;
  /** Our pods per second by the peer's. At least this when the peer ran out of time. */
  readonly speedRatio: number | null;
  readonly costRatio: number | null;
  readonly goal: { readonly speedRatio: number; readonly costRatio: number };
}

export interface CostLine extends Judged {
  readonly measure: "cost";
  readonly pods: number;
  readonly ours: Result;
  readonly peer: Result | null;
  readonly boundPerHour: number;
  readonly fitBoundPerHour: number;
  readonly costToBound: number | null;
  readonly costToFitBound: number | null;
  readonly peerCostToBound: number | null;
  readonly peerCostToFitBound: number | null;
  readonly allowedSeconds: number;
  readonly goal: { readonly costToBound: number } | null;
  /** False when even the fit bound is beyond the goal, so that no plan at all can meet it. */
  readonly isReachable: boolean;
}

export interface GrowthLine extends Judged {
  readonly measure: "growth";
  readonly small: { readonly pods: number; readonly result: Result };
  readonly large: { readonly pods: number; readonly result: Result };
  /** The time per pod of the large scenario by that of the small one. */
  readonly growth: number | null;
  /** Over the sizes that the peer was measured at. */
  readonly peer: {
    readonly smallPods: number;
    readonly largePods: number;
    readonly growth: number;
    readonly isAtLeast: boolean;
  } | null;
  readonly goal: { readonly growth: number };
}

export interface MemoryLine extends Judged {
  readonly measure: "memory";
  readonly pods: number;
  readonly instanceTypes: number;
  readonly effort: Effort;
  /** The largest resident set of the process. */
  readonly peakMemoryMb: number | null;
  readonly peer: { readonly pods: number; readonly peakMemoryMb: number } | null;
  readonly goal: { readonly peakMemoryMb: number };
}

export interface SummaryLine {
  readonly measure: "summary";
  readonly met: number;
  readonly missed: number;
  readonly unjudged: number;
  readonly violations: number;
  /** Plans of ours that did not come to an end. */
  readonly failures: number;
  readonly seconds: number;
}

export type Line = MachineLine | FastLine | CostLine | GrowthLine | MemoryLine | SummaryLine;
