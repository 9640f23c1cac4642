import type { Pod } from "kubernetes-types/core/v1.js";
import { prepareFilters } from "../../../src/embedded/scheduler/filters/prepare-filters.ts";
import type { Rejection, Situation } from "../../../src/embedded/scheduler/node-filter.ts";
import { podInfoOf } from "../../../src/embedded/scheduler/pod-info.ts";
import { findCandidates, preempt } from "../../../src/embedded/scheduler/preempt.ts";
import { describeRefusal } from "../../../src/embedded/scheduler/refusal.ts";
import { feasibleNodes, Scheduler } from "../../../src/embedded/scheduler/scheduler.ts";
import type { SchedulerCache } from "../../../src/embedded/scheduler/scheduler-cache.ts";
import { scoreNodes } from "../../../src/embedded/scheduler/scores/score-nodes.ts";

const random = () => 0;

/** A decision in a form in which two can be compared. */
export interface Decision {
  readonly feasible: readonly string[];
  /** Why there is no place, if there is none. */
  readonly message: string;
  /** For each node that preemption could free: the uids of the victims and the number of broken budgets. */
  readonly preemption: readonly string[];
}

export function decisionOf(cache: SchedulerCache, pod: Pod): Decision {
  const feasible = feasibleNodes(cache, pod).sort();
  const placement = new Scheduler(cache, random).schedule(pod);
  return {
    feasible,
    message: placement.kind === "placed" ? "" : describeRefusal(placement.refusal),
    preemption: candidatesOf({ cache, pod: podInfoOf(pod) }),
  };
}

function candidatesOf(situation: Situation): string[] {
  const filters = prepareFilters(situation);
  if (typeof filters === "string") return [];
  const rejections = new Map<string, Rejection>();
  for (const node of situation.cache.nodes) {
    if (filters.only !== undefined && !filters.only.has(node.name)) continue;
    const rejection = filters.refuse(node);
    if (rejection !== undefined) rejections.set(node.name, rejection);
  }
  const attempt = { situation, filters, rejections, random };
  if (preempt(attempt).kind === "not eligible") return [];
  const { candidates } = findCandidates(attempt);
  return candidates
    .map(({ node, victims, budgetViolations }) =>
      describeCandidate(
        node.name,
        victims.map(({ pod }) => pod.metadata?.uid ?? ""),
        budgetViolations,
      ),
    )
    .sort();
}

export function describeCandidate(node: string, victims: readonly string[], violations: number): string {
  return `${node}: ${[...victims].sort().join(" ")} (${violations})`;
}

/** Weighted scores of the feasible nodes, as `node scorer` → score. With fewer than two nobody is asked. */
export function scoresOf(cache: SchedulerCache, pod: Pod): ReadonlyMap<string, number> {
  const nodes = feasibleNodes(cache, pod).flatMap((name) => cache.node(name) ?? []);
  if (nodes.length < 2) return new Map();
  const scores = new Map<string, number>();
  for (const [scorer, values] of scoreNodes({ cache, pod: podInfoOf(pod) }, nodes)) {
    for (const [position, score] of values.entries()) scores.set(`${nodes[position]?.name} ${scorer}`, score);
  }
  return scores;
}

/** The nodes with the highest total of these scores, or the only one that is feasible. */
export function bestNodes(feasible: readonly string[], scores: ReadonlyMap<string, number>): string[] {
  const totals = new Map(feasible.map((name) => [name, 0]));
  for (const [key, score] of scores) {
    const [name = ""] = key.split(" ");
    totals.set(name, (totals.get(name) ?? 0) + score);
  }
  const highest = Math.max(...totals.values());
  return [...totals.keys()].filter((name) => totals.get(name) === highest).sort();
}
