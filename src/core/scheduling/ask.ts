import type { Labels } from "../model/labels.ts";
import type { PodSpec, PodTerm, TopologySpread } from "../model/pod.ts";
import { has, holdsOn, type NodeTerm, requirementFor, requirementsFromLabels } from "../model/requirements.ts";
import type { Toleration } from "../model/taints.ts";

/** What a pod insists on at one stage of relaxation: its requirements, and the preferences not yet given up. */
export interface Ask {
  readonly nodeSelector: NodeTerm;
  /** One of them must hold, unless there are none. */
  readonly requiredNodeTerms: readonly NodeTerm[];
  /** The heaviest node preference not yet given up. */
  readonly preferredNodeTerm: NodeTerm | undefined;
  /** Must all hold of the same pods. */
  readonly requiredPodAffinity: readonly PodTerm[];
  /** Each holds by itself. */
  readonly preferredPodAffinity: readonly PodTerm[];
  readonly podAntiAffinity: readonly OwnedTerm[];
  readonly topologySpread: readonly TopologySpread[];
  readonly spreadKeys: SpreadKeys;
  readonly tolerations: readonly Toleration[];
}

/** Only what a pod requires, not what it prefers, keeps other pods away later. */
export interface OwnedTerm {
  readonly term: PodTerm;
  readonly isRequired: boolean;
}

/** What the pod is spread over by all its constraints of one kind, given up or not: a node must have all these labels to count. */
export interface SpreadKeys {
  readonly required: readonly string[];
  readonly preferred: readonly string[];
}

/** Tolerates every taint that only asks to be avoided. */
const preferNoSchedule: Toleration = { key: "", operator: "Exists", value: "", effect: "PreferNoSchedule" };

/**
 * The stages of a pod's demands, from everything it prefers to only what it requires. Each gives up one thing more:
 * pod affinity, pod anti-affinity, node affinity (the heaviest first), soft spread, and last the taints that only ask
 * to be avoided.
 */
export function stagesOf(spec: PodSpec, respectsPreferences: boolean, somePreferToBeAvoided: boolean): readonly Ask[] {
  const keep = respectsPreferences;
  let podAffinity = keep ? byWeight(spec.preferredPodAffinity) : [];
  let podAntiAffinity = keep ? byWeight(spec.preferredPodAntiAffinity) : [];
  let nodeTerms = keep ? byWeight(spec.preferredNodeTerms) : [];
  let spread = keep ? spec.topologySpread : spec.topologySpread.filter(({ isRequired }) => isRequired);
  let tolerations = spec.tolerations;
  const nodeSelector = requirementsFromLabels(spec.nodeSelector);
  const spreadKeys = spreadKeysOf(spec);
  const stages: Ask[] = [];
  const push = () => {
    stages.push({
      nodeSelector,
      requiredNodeTerms: spec.requiredNodeTerms,
      preferredNodeTerm: nodeTerms[0],
      requiredPodAffinity: spec.podAffinity,
      preferredPodAffinity: podAffinity,
      podAntiAffinity: [
        ...spec.podAntiAffinity.map((term) => ({ term, isRequired: true })),
        ...podAntiAffinity.map((term) => ({ term, isRequired: false })),
      ],
      topologySpread: spread,
      spreadKeys,
      tolerations,
    });
  };
  push();
  for (; podAffinity.length > 0; push()) podAffinity = podAffinity.slice(1);
  for (; podAntiAffinity.length > 0; push()) podAntiAffinity = podAntiAffinity.slice(1);
  for (; nodeTerms.length > 0; push()) nodeTerms = nodeTerms.slice(1);
  while (spread.some(({ isRequired }) => !isRequired)) {
    spread = withoutFirstSoft(spread);
    push();
  }
  if (somePreferToBeAvoided) {
    tolerations = [...tolerations, preferNoSchedule];
    push();
  }
  return stages;
}

function spreadKeysOf({ topologySpread }: PodSpec): SpreadKeys {
  const keysOf = (rules: readonly TopologySpread[]) => [...new Set(rules.map(({ topologyKey }) => topologyKey))].sort();
  return {
    required: keysOf(topologySpread.filter(({ isRequired }) => isRequired)),
    preferred: keysOf(topologySpread.filter(({ isRequired }) => !isRequired)),
  };
}

function byWeight<T>(preferences: readonly { weight: number; term: T }[]): readonly T[] {
  return preferences.toSorted((a, b) => b.weight - a.weight).map(({ term }) => term);
}

/** The last constraint takes the place of the one that is dropped, as in the Go version: it decides what goes next. */
function withoutFirstSoft(spread: readonly TopologySpread[]): readonly TopologySpread[] {
  const first = spread.findIndex(({ isRequired }) => !isRequired);
  const kept = spread.slice(0, -1);
  const last = spread[spread.length - 1];
  if (last !== undefined && first < kept.length) kept[first] = last;
  return kept;
}

/** Whether a node with these labels satisfies what the pod asks of its labels. */
export function acceptsLabels(ask: Ask, labels: Labels): boolean {
  return (
    acceptsLabelsStrictly(ask, labels) &&
    (ask.preferredNodeTerm === undefined || holdsOn(ask.preferredNodeTerm, labels))
  );
}

/** The same without preferences. */
export function acceptsLabelsStrictly(ask: Ask, labels: Labels): boolean {
  if (!holdsOn(ask.nodeSelector, labels)) return false;
  return ask.requiredNodeTerms.length === 0 || ask.requiredNodeTerms.some((term) => holdsOn(term, labels));
}

/** Whether what the pod says of one label lets it be set to this, whatever it says of others. */
export function acceptsDomain({ nodeSelector, requiredNodeTerms }: Ask, key: string, domain: string): boolean {
  const allows = (term: NodeTerm) => has(requirementFor(term, key), domain);
  return allows(nodeSelector) && (requiredNodeTerms.length === 0 || requiredNodeTerms.some(allows));
}
