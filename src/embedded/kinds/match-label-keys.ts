import type { PodAffinityTerm, PodSpec } from "kubernetes-types/core/v1.js";
import type { LabelSelector } from "kubernetes-types/meta/v1.js";

interface KeyedTerm {
  labelSelector?: LabelSelector;
  matchLabelKeys?: string[];
  mismatchLabelKeys?: string[];
}

/** Turns `matchLabelKeys` of a new pod into expressions of the selectors they belong to, with the values of its labels. */
export function mergeMatchLabelKeys(spec: PodSpec, labels: Readonly<Record<string, string>>): void {
  const { podAffinity, podAntiAffinity } = spec.affinity ?? {};
  const terms: PodAffinityTerm[] = [podAffinity, podAntiAffinity].flatMap((affinity) => [
    ...(affinity?.preferredDuringSchedulingIgnoredDuringExecution ?? []).map((weighted) => weighted.podAffinityTerm),
    ...(affinity?.requiredDuringSchedulingIgnoredDuringExecution ?? []),
  ]);
  for (const term of [...terms, ...(spec.topologySpreadConstraints ?? [])] as (KeyedTerm | undefined)[]) {
    if (term?.labelSelector === undefined) continue;
    addExpressions(term.labelSelector, "In", pick(labels, term.matchLabelKeys));
    addExpressions(term.labelSelector, "NotIn", pick(labels, term.mismatchLabelKeys));
  }
}

function pick(labels: Readonly<Record<string, string>>, keys: readonly string[] = []): [string, string][] {
  return keys.flatMap((key): [string, string][] => {
    const value = Object.hasOwn(labels, key) ? labels[key] : undefined;
    return value === undefined ? [] : [[key, value]];
  });
}

function addExpressions(selector: LabelSelector, operator: string, pairs: readonly [string, string][]): void {
  if (pairs.length === 0) return;
  const added = pairs.map(([key, value]) => ({ key, operator, values: [value] }));
  selector.matchExpressions = [...(selector.matchExpressions ?? []), ...added];
}
