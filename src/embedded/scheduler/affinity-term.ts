import type { Pod, PodAffinityTerm } from "kubernetes-types/core/v1.js";
import {
  conditionsOf,
  type LabelCondition,
  type LabelMatcher,
  type Labels,
  labelValue,
  matcherOf,
  matcherOfConditions,
  matchNothing,
} from "../label-matcher.ts";
import { labelsOf } from "./node-selector.ts";

/** One rule about pods that should, or should not, be near. */
export interface AffinityTerm {
  readonly topologyKey: string;
  /** Those that the term names, or the pod's own where it says nothing. */
  readonly namespaces: ReadonlySet<string>;
  readonly namespaceSelector: LabelMatcher;
  readonly selector: LabelMatcher;
}

export interface WeightedTerm extends AffinityTerm {
  readonly weight: number;
}

export interface AffinityTerms {
  readonly required: readonly AffinityTerm[];
  readonly requiredAnti: readonly AffinityTerm[];
  readonly preferred: readonly WeightedTerm[];
  readonly preferredAnti: readonly WeightedTerm[];
}

const noTerms: AffinityTerms = { required: [], requiredAnti: [], preferred: [], preferredAnti: [] };

export function affinityTermsOf(pod: Pod): AffinityTerms {
  const { podAffinity, podAntiAffinity } = pod.spec?.affinity ?? {};
  if (podAffinity === undefined && podAntiAffinity === undefined) return noTerms;
  const plain = (term: PodAffinityTerm) => termOf(pod, term);
  const weighted = ({ weight, podAffinityTerm }: { weight: number; podAffinityTerm: PodAffinityTerm }) => ({
    ...termOf(pod, podAffinityTerm),
    weight,
  });
  return {
    required: (podAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? []).map(plain),
    requiredAnti: (podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? []).map(plain),
    preferred: (podAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? []).map(weighted),
    preferredAnti: (podAntiAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? []).map(weighted),
  };
}

function termOf(pod: Pod, term: PodAffinityTerm): AffinityTerm {
  const isOwnNamespace = (term.namespaces ?? []).length === 0 && term.namespaceSelector === undefined;
  return {
    topologyKey: term.topologyKey,
    namespaces: new Set(isOwnNamespace ? [pod.metadata?.namespace ?? ""] : term.namespaces),
    namespaceSelector: matcherOf(term.namespaceSelector),
    selector: selectorOf(pod, term),
  };
}

/** The API server adds what the label keys mean to the selector; adding it twice changes nothing. */
function selectorOf(pod: Pod, { labelSelector, matchLabelKeys = [], mismatchLabelKeys = [] }: PodAffinityTerm) {
  if (labelSelector === undefined || labelSelector === null) return matchNothing;
  return matcherOfConditions([
    ...conditionsOf(labelSelector),
    ...keyConditions(pod, matchLabelKeys, "In"),
    ...keyConditions(pod, mismatchLabelKeys, "NotIn"),
  ]);
}

/** A key that the pod has no label for says nothing. */
export function keyConditions(pod: Pod, keys: readonly string[], operator: "In" | "NotIn"): LabelCondition[] {
  return keys.flatMap((key) => {
    const value = labelValue(labelsOf(pod), key);
    return value === undefined ? [] : [{ key, operator, values: [value] }];
  });
}

/** Whether the rule is about this pod, which lives in a namespace with these labels. */
export function concerns(term: AffinityTerm, pod: Pod, namespaceLabels: Labels): boolean {
  const isInNamespace =
    term.namespaces.has(pod.metadata?.namespace ?? "") || term.namespaceSelector.matches(namespaceLabels);
  return isInNamespace && term.selector.matches(labelsOf(pod));
}
