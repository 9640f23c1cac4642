import type { DisruptionReason } from "../model/pool-disruption.ts";

/** One entry of the journal: what was looked at and what came of it, in words that need no other source. */
export interface Decision {
  /** As in RFC 3339. */
  readonly time: string;
  readonly reason: DisruptionReason;
  readonly kind: DecisionKind;
  readonly moves: readonly DecidedMove[];
  /** Every node that was looked at and what was found; of a move under way, only its own. */
  readonly candidates: readonly DecidedCandidate[];
  /** Of the best plan that was found, were budgets no matter. */
  readonly whole?: { readonly nodes: number; readonly launches: number; readonly savings: number };
}

/**
 * Looked: candidates were weighed, and these moves come of it. Then for each move: dropped, because it no longer held
 * when it was looked at again; started; done, when its nodes were asked to go; rolled back, when it could not be done.
 * Stopped: moves have to wait from now on, because too many pods were moved.
 */
export type DecisionKind = "looked" | "dropped" | "started" | "done" | "rolled-back" | "stopped";

export interface DecidedMove {
  readonly nodes: readonly string[];
  readonly replacements: readonly DecidedReplacement[];
  /** Dollars an hour; absent where price is not why. */
  readonly savings?: number;
  /** What moving their pods costs. */
  readonly disturbance?: number;
  /** Why it went this way, for people. */
  readonly because?: string;
}

export interface DecidedReplacement {
  readonly pool: string;
  readonly instanceType: string;
  readonly zone: string;
  readonly capacityType: string;
  /** Dollars an hour. */
  readonly price: number;
}

export interface DecidedCandidate {
  readonly node: string;
  readonly claim: string;
  readonly pool: string;
  readonly isTaken: boolean;
  /** Why it was or was not taken, for people. */
  readonly because: string;
}
