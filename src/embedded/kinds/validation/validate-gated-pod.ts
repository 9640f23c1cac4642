import type { NodeSelectorTerm, PodSpec } from "kubernetes-types/core/v1.js";
import type { FieldError } from "../../../core/api/field-error.ts";
import { forbidden } from "../../../core/api/schema/refusals.ts";
import { invalid } from "../refusals.ts";
import { isSameValue } from "./same-value.ts";

/** Gates are opened, never added. */
export function validateGateRemoval(spec: PodSpec, old: PodSpec): FieldError[] {
  const before = new Set((old.schedulingGates ?? []).map(({ name }) => name));
  return (spec.schedulingGates ?? []).flatMap(({ name }, index) =>
    before.has(name)
      ? []
      : [
          forbidden(
            `spec.schedulingGates[${index}].name`,
            `only deletion is allowed, but found new scheduling gate '${name}'`,
          ),
        ],
  );
}

/** While a pod is gated, what it asks of nodes may become stricter. */
export function validateGatedChanges(spec: PodSpec, old: PodSpec): FieldError[] {
  const selector = spec.nodeSelector ?? {};
  const keepsSelector = Object.entries(old.nodeSelector ?? {}).every(([key, value]) => selector[key] === value);
  const selectorDetail = "only additions to spec.nodeSelector are allowed (no mutations or deletions)";
  const errors = keepsSelector ? [] : [invalid("spec.nodeSelector", spec.nodeSelector ?? null, selectorDetail)];
  const oldTerms = termsOf(old);
  const terms = termsOf(spec);
  const field = "spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms";
  if (oldTerms.length === 0) return errors;
  if (oldTerms.length !== terms.length) {
    const detail = "no additions/deletions to non-empty NodeSelectorTerms list are allowed";
    return [...errors, invalid(field, terms, detail)];
  }
  for (const [index, term] of terms.entries()) {
    if (onlyAdds(term, oldTerms[index])) continue;
    errors.push(invalid(`${field}[${index}]`, term, "only additions are allowed (no mutations or deletions)"));
  }
  return errors;
}

function termsOf(spec: PodSpec): NodeSelectorTerm[] {
  return spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? [];
}

function onlyAdds(term: NodeSelectorTerm, old: NodeSelectorTerm | undefined): boolean {
  const { matchExpressions = [], matchFields = [] } = old ?? {};
  if (matchExpressions.length === 0 && matchFields.length === 0) return isSameValue(term, old);
  return (
    isSameValue((term.matchExpressions ?? []).slice(0, matchExpressions.length), matchExpressions) &&
    isSameValue((term.matchFields ?? []).slice(0, matchFields.length), matchFields)
  );
}
