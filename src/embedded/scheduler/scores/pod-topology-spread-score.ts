import { labelValue } from "../../label-matcher.ts";
import type { NodeState } from "../node-state.ts";
import type { SchedulerCache } from "../scheduler-cache.ts";
import {
  countSelected,
  defaultConstraints,
  hasEveryKey,
  hostnameKey,
  type SpreadConstraint,
  spreadConstraints,
} from "../spread-constraints.ts";
import { highestScore, type NodeScorer } from "./node-score.ts";

/** The fewer pods of the pod's kind are in the node's domains, the better. */
export const podTopologySpreadScore: NodeScorer = ({ cache, pod }, nodes) => {
  const hasOwn = (pod.pod.spec?.topologySpreadConstraints ?? []).length > 0;
  const constraints = hasOwn ? spreadConstraints(pod, "ScheduleAnyway") : defaultConstraints(pod, cache);
  if (constraints.length === 0) return undefined;
  const takesPart = (node: NodeState) => !hasOwn || hasEveryKey(node, constraints);
  const scored = nodes.filter(takesPart);
  const groups = constraints.map((constraint) =>
    domainCounts(constraint, scored, { cache, takesPart, namespace: pod.namespace }),
  );
  const sums = nodes.map((node) => {
    if (!takesPart(node)) return undefined;
    return Math.round(groups.reduce((sum, group) => sum + group(node), 0));
  });
  return favourFew(sums);
};

interface Counting {
  readonly cache: SchedulerCache;
  readonly namespace: string;
  /** Nodes without every topology key are left out, if the pod itself says how to spread. */
  readonly takesPart: (node: NodeState) => boolean;
}

/** How much one constraint holds against a node: the pods in its domain, weighted by how many domains there are. */
function domainCounts(
  { topologyKey, selector, maxSkew, includes }: SpreadConstraint,
  scored: readonly NodeState[],
  { cache, namespace, takesPart }: Counting,
): (node: NodeState) => number {
  if (topologyKey === hostnameKey) {
    const weight = domainWeight(scored.length);
    return (node) =>
      labelValue(node.labels, topologyKey) === undefined
        ? 0
        : countSelected(node, selector, namespace) * weight + maxSkew - 1;
  }
  // A node without the label is a domain of its own kind, which counts as one, though it has no score.
  const domainOf = ({ labels }: NodeState) => labelValue(labels, topologyKey) ?? "";
  const counts = new Map(scored.map((node) => [domainOf(node), 0]));
  for (const state of cache.nodes) {
    const count = counts.get(domainOf(state));
    if (count === undefined || state.node === undefined || !takesPart(state) || !includes(state.node)) continue;
    counts.set(domainOf(state), count + countSelected(state, selector, namespace));
  }
  const weight = domainWeight(counts.size);
  return (node) =>
    labelValue(node.labels, topologyKey) === undefined ? 0 : (counts.get(domainOf(node)) ?? 0) * weight + maxSkew - 1;
}

function domainWeight(domains: number): number {
  return Math.log(domains + 2);
}

/** Turns sums around, so that the least gets 100. A node that takes no part gets 0. */
function favourFew(sums: readonly (number | undefined)[]): number[] {
  const known = sums.filter((sum) => sum !== undefined);
  const most = Math.max(0, ...known);
  const least = Math.min(...known);
  return sums.map((sum) => {
    if (sum === undefined) return 0;
    return most === 0 ? highestScore : Math.floor((highestScore * (most + least - sum)) / most);
  });
}
