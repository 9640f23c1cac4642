import type { Namespace, Pod } from "kubernetes-types/core/v1.js";
import { labelValue, noLabels } from "../../label-matcher.ts";
import { type AffinityTerm, concerns } from "../affinity-term.ts";
import { type NodeFilter, type Preparation, resolvable, type Situation, skip, unresolvable } from "../node-filter.ts";
import { labelsOf } from "../node-selector.ts";
import type { NodeState } from "../node-state.ts";
import type { PodInfo } from "../pod-info.ts";

const notNear = unresolvable("node(s) didn't match pod affinity rules");
const tooNear = resolvable("node(s) didn't match pod anti-affinity rules");
const unwanted = resolvable("node(s) didn't satisfy existing pods anti-affinity rules");

export function interPodAffinity({ cache, pod }: Situation): Preparation {
  const required = pod.terms.required.map((term) => withNamespaces(term, cache.namespaces));
  const requiredAnti = pod.terms.requiredAnti.map((term) => withNamespaces(term, cache.namespaces));
  const namespaceLabels = cache.namespaceLabels(pod.namespace);
  const near = new DomainCounts();
  const apart = new DomainCounts();
  const existing = new DomainCounts();

  const countForTerms = (other: PodInfo, node: NodeState, change: number) => {
    if (matchesAll(required, other.pod)) for (const { topologyKey } of required) near.add(node, topologyKey, change);
    for (const term of requiredAnti) if (concerns(term, other.pod, noLabels)) apart.add(node, term.topologyKey, change);
  };
  const countExisting = (other: PodInfo, node: NodeState, change: number) => {
    for (const term of other.terms.requiredAnti) {
      if (concerns(term, pod.pod, namespaceLabels)) existing.add(node, term.topologyKey, change);
    }
  };

  for (const other of cache.podsWithRequiredAntiAffinity) {
    const node = cache.nodeOf(other);
    if (node !== undefined) countExisting(other, node, 1);
  }
  if (existing.isEmpty && required.length === 0 && requiredAnti.length === 0) return skip;
  if (required.length > 0 || requiredAnti.length > 0) {
    for (const node of cache.nodes) for (const other of node.pods) countForTerms(other, node, 1);
  }

  const isFirst = matchesAll(required, pod.pod);
  const isNear = (node: NodeState) => {
    if (required.some(({ topologyKey }) => labelValue(node.labels, topologyKey) === undefined)) return false;
    return required.every(({ topologyKey }) => near.at(node, topologyKey) > 0) || (near.isEmpty && isFirst);
  };
  const filter: NodeFilter = {
    refuse(node) {
      if (!isNear(node)) return notNear;
      if (requiredAnti.some(({ topologyKey }) => apart.at(node, topologyKey) > 0)) return tooNear;
      return existing.isAnywhereOn(node) ? unwanted : undefined;
    },
    adjust(other, node, change) {
      countForTerms(other, node, change);
      countExisting(other, node, change);
    },
  };
  return { kind: "filter", filter };
}

/**
 * A term of the incoming pod with the namespaces that its selector means now. kube-scheduler goes on to ask the selector
 * about namespaces without labels, so one that only excludes labels means every namespace; so does ours.
 */
export function withNamespaces<T extends AffinityTerm>(term: T, namespaces: Iterable<Namespace>): T {
  if (term.namespaceSelector.isEmpty) return term;
  const names = new Set(term.namespaces);
  for (const namespace of namespaces) {
    if (term.namespaceSelector.matches(labelsOf(namespace))) names.add(namespace.metadata?.name ?? "");
  }
  return { ...term, namespaces: names };
}

function matchesAll(terms: readonly AffinityTerm[], pod: Pod): boolean {
  return terms.length > 0 && terms.every((term) => concerns(term, pod, noLabels));
}

/** How many matches there are in each domain: a value of a topology key. */
class DomainCounts {
  readonly #counts = new Map<string, Map<string, number>>();

  add(node: NodeState, topologyKey: string, change: number): void {
    const value = labelValue(node.labels, topologyKey);
    if (value === undefined) return;
    const values = this.#counts.get(topologyKey) ?? new Map<string, number>();
    const count = (values.get(value) ?? 0) + change;
    if (count === 0) values.delete(value);
    else values.set(value, count);
    if (values.size === 0) this.#counts.delete(topologyKey);
    else this.#counts.set(topologyKey, values);
  }

  at(node: NodeState, topologyKey: string): number {
    const value = labelValue(node.labels, topologyKey);
    return value === undefined ? 0 : (this.#counts.get(topologyKey)?.get(value) ?? 0);
  }

  isAnywhereOn(node: NodeState): boolean {
    for (const topologyKey of this.#counts.keys()) if (this.at(node, topologyKey) > 0) return true;
    return false;
  }

  get isEmpty(): boolean {
    return this.#counts.size === 0;
  }
}
