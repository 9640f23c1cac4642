import { integerOf } from "../model/integer.ts";
import { hostnameLabel } from "../model/labels.ts";
import type { PodSpec } from "../model/pod.ts";
import { intersectAll, type NodeTerm, type Requirement, requirementsFromLabels } from "../model/requirements.ts";

/** The node labels that somebody in this batch reads, and the values they name. */
export interface LabelKeys {
  readonly keys: readonly string[];
  readonly valuesByKey: ReadonlyMap<string, ReadonlySet<string>>;
  /** Integers that some requirement sets as a bound. */
  readonly boundsByKey: ReadonlyMap<string, ReadonlySet<bigint>>;
  /** Keys that pods are spread over, gathered by or kept apart by. */
  readonly topologyKeys: ReadonlySet<string>;
  /** What pods want of labels together: their selector with each of their terms. */
  readonly wishes: readonly NodeTerm[];
}

export function labelKeysOf(specs: Iterable<PodSpec>, otherTerms: Iterable<NodeTerm>): LabelKeys {
  const valuesByKey = new Map<string, Set<string>>();
  const boundsByKey = new Map<string, Set<bigint>>();
  const topologyKeys = new Set<string>();
  const wishes: NodeTerm[] = [];
  const addKey = (key: string): Set<string> => {
    const known = valuesByKey.get(key) ?? new Set<string>();
    valuesByKey.set(key, known);
    return known;
  };
  const addRequirement = (key: string, requirement: Requirement) => {
    const values = addKey(key);
    for (const value of requirement.values) values.add(value);
    // A bound separates the integers on its two sides.
    for (const bound of [requirement.atLeast, requirement.atMost]) {
      if (bound === undefined) continue;
      for (const near of [bound - 1n, bound, bound + 1n]) values.add(String(near));
      boundsByKey.set(key, (boundsByKey.get(key) ?? new Set()).add(bound));
    }
  };
  const addTerm = (term: NodeTerm) => {
    for (const [key, requirement] of term) addRequirement(key, requirement);
  };
  const addTopologyKey = ({ topologyKey }: { topologyKey: string }) => {
    if (topologyKey === hostnameLabel) return;
    topologyKeys.add(topologyKey);
    addKey(topologyKey);
  };
  for (const spec of specs) {
    for (const [key, value] of spec.nodeSelector) addKey(key).add(value);
    wishes.push(...wishesOf(spec));
    spec.requiredNodeTerms.forEach(addTerm);
    for (const { term } of spec.preferredNodeTerms) addTerm(term);
    spec.podAffinity.forEach(addTopologyKey);
    spec.podAntiAffinity.forEach(addTopologyKey);
    for (const { term } of [...spec.preferredPodAffinity, ...spec.preferredPodAntiAffinity]) addTopologyKey(term);
    spec.topologySpread.forEach(addTopologyKey);
  }
  for (const term of otherTerms) {
    addTerm(term);
    wishes.push(term);
  }
  return { keys: [...valuesByKey.keys()].sort(), valuesByKey, boundsByKey, topologyKeys, wishes };
}

/** Equal for the values of a label that nothing in this batch tells apart. */
export function meaningOf(value: string, key: string, labelKeys: LabelKeys): string {
  const { valuesByKey, boundsByKey, topologyKeys } = labelKeys;
  if (topologyKeys.has(key) || valuesByKey.get(key)?.has(value) === true) return `=${value}`;
  const integer = integerOf(value);
  if (integer === undefined) return "other";
  const bounds = [...(boundsByKey.get(key) ?? [])];
  const count = (isCounted: (bound: bigint) => boolean): number => bounds.filter(isCounted).length;
  return `other, ${count((bound) => bound < integer)} ${count((bound) => bound <= integer)}`;
}

function wishesOf({ nodeSelector, requiredNodeTerms, preferredNodeTerms }: PodSpec): NodeTerm[] {
  const selector = requirementsFromLabels(nodeSelector);
  const required = requiredNodeTerms.length > 0 ? requiredNodeTerms : [new Map()];
  const wishes = required.map((term) => intersectAll(selector, term));
  const preferred = preferredNodeTerms.flatMap(({ term }) => wishes.map((wish) => intersectAll(wish, term)));
  return [...wishes, ...preferred].filter(({ size }) => size > 0);
}
