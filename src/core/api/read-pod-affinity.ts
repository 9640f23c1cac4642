import { isQualifiedName, normalizeLabelKey } from "../model/labels.ts";
import type { PodTerm, Weighted } from "../model/pod.ts";
import type { Field } from "./field.ts";
import { readWeight } from "./read-node-affinity.ts";
import { readSelector } from "./read-selector.ts";

export interface PodAffinity {
  readonly required: readonly PodTerm[];
  readonly preferred: readonly Weighted<PodTerm>[];
}

/** Of podAffinity or podAntiAffinity, which look alike. */
export function readPodAffinity(affinity: Field): PodAffinity {
  const required = affinity.at("requiredDuringSchedulingIgnoredDuringExecution");
  const preferred = affinity.at("preferredDuringSchedulingIgnoredDuringExecution");
  return {
    required: required.items().map(readPodTerm),
    preferred: preferred.items().map((item) => ({
      weight: readWeight(item),
      term: readPodTerm(item.at("podAffinityTerm")),
    })),
  };
}

function readPodTerm(term: Field): PodTerm {
  return {
    topologyKey: readTopologyKey(term),
    selector: readSelector(term.at("labelSelector")),
    namespaces: term.at("namespaces").texts(),
    namespaceSelector: readSelector(term.at("namespaceSelector")),
    matchLabelKeys: term.at("matchLabelKeys").texts(),
    mismatchLabelKeys: term.at("mismatchLabelKeys").texts(),
  };
}

export function readTopologyKey(item: Field): string {
  const field = item.at("topologyKey");
  const key = normalizeLabelKey(field.requiredText());
  if (key !== "" && !isQualifiedName(key)) field.reject("must be a label key such as topology.kubernetes.io/zone");
  return key;
}
