import type { Situation } from "../node-filter.ts";
import type { NodeState } from "../node-state.ts";
import { imageLocalityScore } from "./image-locality.ts";
import { interPodAffinityScore } from "./inter-pod-affinity-score.ts";
import { nodeAffinityScore, taintTolerationScore } from "./node-preferences.ts";
import type { NodeScorer } from "./node-score.ts";
import { podTopologySpreadScore } from "./pod-topology-spread-score.ts";
import { balancedAllocationScore, leastAllocatedScore } from "./resource-scores.ts";

interface WeightedScorer {
  readonly name: string;
  readonly weight: number;
  readonly scorer: NodeScorer;
}

const scorers: readonly WeightedScorer[] = [
  { name: "TaintToleration", weight: 3, scorer: taintTolerationScore },
  { name: "NodeAffinity", weight: 2, scorer: nodeAffinityScore },
  { name: "NodeResourcesFit", weight: 1, scorer: leastAllocatedScore },
  { name: "PodTopologySpread", weight: 2, scorer: podTopologySpreadScore },
  { name: "InterPodAffinity", weight: 2, scorer: interPodAffinityScore },
  { name: "NodeResourcesBalancedAllocation", weight: 1, scorer: balancedAllocationScore },
  { name: "ImageLocality", weight: 1, scorer: imageLocalityScore },
];

/** The weighted scores of each node, in the order of the nodes, by the name of who gave them. */
export function scoreNodes(situation: Situation, nodes: readonly NodeState[]): ReadonlyMap<string, readonly number[]> {
  const scores = new Map<string, readonly number[]>();
  for (const { name, weight, scorer } of scorers) {
    const given = scorer(situation, nodes);
    if (given !== undefined)
      scores.set(
        name,
        given.map((score) => score * weight),
      );
  }
  return scores;
}
