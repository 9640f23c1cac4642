import { canonicalText } from "../model/canonical-text.ts";
import type { Pod, PodSpec } from "../model/pod.ts";
import type { Selector } from "../model/selector.ts";
import type { Workload } from "../model/workload.ts";

/** Whether admission left a pod as its template describes it. A webhook may have added a sidecar or doubled its requests. */
export function isAdmittedUnchanged(pod: Pod, { template, demand }: Workload): boolean {
  if (pod.isGated || pod.isEdited) return false;
  const claims = demand.kind === "ordinals" ? demand.claimTemplates.map(({ name }) => `${name}-${pod.name}`) : [];
  return comparable(pod.spec, claims) === comparable(template.spec, []);
}

const addedTolerations: ReadonlySet<string> = new Set([
  "node.kubernetes.io/not-ready",
  "node.kubernetes.io/unreachable",
]);

/** Without what the API server itself and the controller of the workload add to every pod. */
function comparable(spec: PodSpec, ownClaims: readonly string[]): string {
  const preferred = (terms: PodSpec["preferredPodAffinity"]): PodSpec["preferredPodAffinity"] =>
    terms.map(({ weight, term }) => ({ weight, term: withoutAddedLabels(term) }));
  return canonicalText({
    ...spec,
    podAffinity: spec.podAffinity.map(withoutAddedLabels),
    podAntiAffinity: spec.podAntiAffinity.map(withoutAddedLabels),
    preferredPodAffinity: preferred(spec.preferredPodAffinity),
    preferredPodAntiAffinity: preferred(spec.preferredPodAntiAffinity),
    topologySpread: spec.topologySpread.map(withoutAddedLabels),
    tolerations: spec.tolerations.filter(({ key, effect }) => !(addedTolerations.has(key) && effect === "NoExecute")),
    volumeClaims: spec.volumeClaims.filter(
      ({ claimName, isEphemeral }) => !isEphemeral && !ownClaims.includes(claimName),
    ),
  });
}

interface LabelTerm {
  readonly selector: Selector | undefined;
  readonly matchLabelKeys: readonly string[];
  readonly mismatchLabelKeys?: readonly string[];
}

/** The API server adds the pod's own labels of these keys to the selector. */
function withoutAddedLabels<T extends LabelTerm>(term: T): T {
  const { selector, matchLabelKeys, mismatchLabelKeys = [] } = term;
  const keys = [...matchLabelKeys, ...mismatchLabelKeys];
  if (selector === undefined || keys.length === 0) return term;
  return { ...term, selector: { expressions: selector.expressions.filter(({ key }) => !keys.includes(key)) } };
}
