import { type DisruptionBudget, judgeEviction } from "../../core/model/disruption-budget.ts";
import { holdAnnotationOf, isHeld } from "../../core/model/do-not-disrupt.ts";
import type { Pod } from "../../core/model/pod.ts";
import { isDaemonPod, isMirrorPod } from "../../core/model/pod-lifecycle.ts";
import { formatAmount } from "../../core/model/quantity.ts";
import { describeRequirement } from "../../core/model/requirement-entries.ts";
import type { NodeTerm } from "../../core/model/requirements.ts";
import type { Resources } from "../../core/model/resources.ts";

/** What decides where the pod can run, one line each. */
export function describeAsk({ spec, namespace }: Pod): readonly string[] {
  const lines = [`requests  ${describeAmounts(spec.requests) || "nothing"}`];
  const add = (what: string, text: string): void => void lines.push(`${what}  ${text}`);
  if (spec.nodeSelector.size > 0) {
    add("node selector", Array.from(spec.nodeSelector, ([key, value]) => `${key}=${value}`).join(", "));
  }
  if (spec.requiredNodeTerms.length > 0) add("node affinity", spec.requiredNodeTerms.map(describeTerm).join(", or "));
  if (spec.preferredNodeTerms.length > 0) {
    add("prefers nodes", spec.preferredNodeTerms.map(({ term }) => describeTerm(term)).join(", "));
  }
  if (spec.tolerations.length > 0) {
    add(
      "tolerates",
      spec.tolerations.map(({ key, effect }) => `${key || "every taint"}${effect ? `:${effect}` : ""}`).join(", "),
    );
  }
  const rules = [
    ...spec.podAffinity.map(({ topologyKey }) => `with other pods by ${topologyKey}`),
    ...spec.podAntiAffinity.map(({ topologyKey }) => `away from other pods by ${topologyKey}`),
    ...spec.topologySpread.map(
      ({ topologyKey, maxSkew, isRequired }) =>
        `spread over ${topologyKey}, skew at most ${maxSkew}${isRequired ? "" : ", if possible"}`,
    ),
  ];
  for (const rule of rules) add("placement", rule);
  if (spec.volumeClaims.length > 0) {
    add("volumes", spec.volumeClaims.map(({ claimName }) => `${namespace}/${claimName}`).join(", "));
  }
  if (spec.priority !== 0) add("priority", String(spec.priority));
  return lines;
}

function describeTerm(term: NodeTerm): string {
  return Array.from(term, ([key, requirement]) => describeRequirement(key, requirement)).join(" and ");
}

function describeAmounts(resources: Resources): string {
  return Array.from(resources)
    .filter(([resource]) => resource !== "pods")
    .map(([resource, amount]) => `${formatAmount(resource, amount)} ${resource}`)
    .join(", ");
}

/** What keeps the pod where it is when somebody wants its node to go; "" when nothing does. */
export function describeHold(pod: Pod, budgets: readonly DisruptionBudget[], now: number): string {
  if (isHeld(pod, now)) return `held by ${holdAnnotationOf(pod)}`;
  if (isDaemonPod(pod) || isMirrorPod(pod)) return "";
  const verdict = judgeEviction(pod, budgets);
  switch (verdict.kind) {
    case "allowed":
      return "";
    case "several":
      return `under ${verdict.budgets.length} disruption budgets at once, so never evicted: ${verdict.budgets.map(({ name }) => name).join(", ")}`;
    case "exhausted":
      return `held by PodDisruptionBudget ${verdict.budget.name}, which allows none ${verdict.budget.neverAllows ? "ever" : "now"}`;
  }
}
