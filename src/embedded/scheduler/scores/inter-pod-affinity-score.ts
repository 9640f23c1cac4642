import { labelValue, noLabels } from "../../label-matcher.ts";
import { type AffinityTerm, concerns } from "../affinity-term.ts";
import { withNamespaces } from "../filters/inter-pod-affinity.ts";
import type { NodeState } from "../node-state.ts";
import type { PodInfo } from "../pod-info.ts";
import { highestScore, type NodeScorer } from "./node-score.ts";

/** What a required term of a pod that is there already adds for those it wants near. */
const requiredWeight = 1;

/** Preferred rules of the pod about others, and of others about the pod, summed up by domain. */
export const interPodAffinityScore: NodeScorer = ({ cache, pod }, nodes) => {
  const preferred = pod.terms.preferred.map((term) => withNamespaces(term, cache.namespaces));
  const preferredAnti = pod.terms.preferredAnti.map((term) => withNamespaces(term, cache.namespaces));
  const hasOwnTerms = preferred.length > 0 || preferredAnti.length > 0;
  const namespaceLabels = cache.namespaceLabels(pod.namespace);
  const weights = new DomainWeights();

  const weigh = (other: PodInfo, node: NodeState) => {
    for (const term of preferred) if (concerns(term, other.pod, noLabels)) weights.add(node, term, term.weight);
    for (const term of preferredAnti) if (concerns(term, other.pod, noLabels)) weights.add(node, term, -term.weight);
    const { required, preferred: wishes, preferredAnti: dislikes } = other.terms;
    for (const term of required) if (concerns(term, pod.pod, namespaceLabels)) weights.add(node, term, requiredWeight);
    for (const term of wishes) if (concerns(term, pod.pod, namespaceLabels)) weights.add(node, term, term.weight);
    for (const term of dislikes) if (concerns(term, pod.pod, namespaceLabels)) weights.add(node, term, -term.weight);
  };
  if (hasOwnTerms) for (const node of cache.nodes) for (const other of node.pods) weigh(other, node);
  else {
    for (const other of cache.podsWithAffinity) {
      const node = cache.nodeOf(other);
      if (node !== undefined) weigh(other, node);
    }
  }
  return weights.isEmpty ? undefined : spreadOut(nodes.map((node) => weights.of(node)));
};

/** From 0 for the least to 100 for the most. */
function spreadOut(sums: readonly number[]): number[] {
  const least = Math.min(...sums);
  const range = Math.max(...sums) - least;
  return sums.map((sum) => (range === 0 ? 0 : Math.floor(highestScore * ((sum - least) / range))));
}

class DomainWeights {
  readonly #weights = new Map<string, Map<string, number>>();

  add(node: NodeState, { topologyKey }: AffinityTerm, weight: number): void {
    const value = labelValue(node.labels, topologyKey);
    if (value === undefined) return;
    const values = this.#weights.get(topologyKey) ?? new Map<string, number>();
    values.set(value, (values.get(value) ?? 0) + weight);
    this.#weights.set(topologyKey, values);
  }

  of({ labels }: NodeState): number {
    let sum = 0;
    for (const [key, values] of this.#weights) {
      const value = labelValue(labels, key);
      if (value !== undefined) sum += values.get(value) ?? 0;
    }
    return sum;
  }

  get isEmpty(): boolean {
    return this.#weights.size === 0;
  }
}
