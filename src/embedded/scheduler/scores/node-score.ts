import type { Situation } from "../node-filter.ts";
import type { NodeState } from "../node-state.ts";

export const highestScore = 100;

/** A score from 0 to 100 for each of the nodes, in their order; undefined when it has no opinion on this pod. */
export type NodeScorer = (situation: Situation, nodes: readonly NodeState[]) => number[] | undefined;

/** The largest count gets 100, the others their share, rounded down. */
export function proportional(counts: readonly number[]): number[] {
  const largest = Math.max(0, ...counts);
  return largest === 0 ? counts.map(() => 0) : counts.map((count) => Math.floor((highestScore * count) / largest));
}
