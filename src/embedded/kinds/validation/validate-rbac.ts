import type { ClusterRole, PolicyRule, RoleBinding, Subject } from "kubernetes-types/rbac/v1.js";
import type { FieldError } from "../../../core/api/field-error.ts";
import { required } from "../../../core/api/schema/refusals.ts";
import type { Draft, KubeObject } from "../../kube-object.ts";
import { invalid, invalidForEach, notSupported } from "../refusals.ts";
import { dnsSubdomainProblems, pathSegmentProblems } from "../value-rules.ts";
import { isSameValue } from "./same-value.ts";
import { validateLabelSelector } from "./validate-labels.ts";

const group = "rbac.authorization.k8s.io";

export function validateRole(draft: Draft): FieldError[] {
  return rulesOf(draft).flatMap((rule, index) => validateRule(rule, true, `rules[${index}]`));
}

export function validateClusterRole(draft: Draft): FieldError[] {
  const { aggregationRule } = draft as unknown as ClusterRole;
  const errors = rulesOf(draft).flatMap((rule, index) => validateRule(rule, false, `rules[${index}]`));
  if (aggregationRule === undefined) return errors;
  const selectors = aggregationRule.clusterRoleSelectors ?? [];
  const field = "aggregationRule.clusterRoleSelectors";
  if (selectors.length === 0) {
    return [...errors, required(field, "at least one clusterRoleSelector required if aggregationRule is non-nil")];
  }
  return [...errors, ...selectors.flatMap((selector, index) => validateLabelSelector(selector, `${field}[${index}]`))];
}

function rulesOf(draft: Draft): readonly PolicyRule[] {
  return (draft as unknown as ClusterRole).rules ?? [];
}

function validateRule(rule: PolicyRule, isNamespaced: boolean, path: string): FieldError[] {
  const { verbs = [], apiGroups = [], resources = [], resourceNames = [], nonResourceURLs = [] } = rule;
  const errors = verbs.length === 0 ? [required(`${path}.verbs`, "verbs must contain at least one value")] : [];
  if (nonResourceURLs.length > 0) {
    const field = `${path}.nonResourceURLs`;
    if (isNamespaced) {
      errors.push(invalid(field, nonResourceURLs, "namespaced rules cannot apply to non-resource URLs"));
    }
    if (apiGroups.length + resources.length + resourceNames.length > 0) {
      const detail = "rules cannot apply to both regular resources and non-resource URLs";
      errors.push(invalid(field, nonResourceURLs, detail));
    }
    return errors;
  }
  if (apiGroups.length === 0) {
    errors.push(required(`${path}.apiGroups`, "resource rules must supply at least one api group"));
  }
  if (resources.length === 0) {
    errors.push(required(`${path}.resources`, "resource rules must supply at least one resource"));
  }
  return errors;
}

export function validateRoleBinding(draft: Draft): FieldError[] {
  return validateBinding(draft, ["Role", "ClusterRole"]);
}

export function validateClusterRoleBinding(draft: Draft): FieldError[] {
  return validateBinding(draft, ["ClusterRole"]);
}

/** What is granted is for ever; to whom may change. */
export function withFixedRole(validate: (draft: Draft) => FieldError[]) {
  return (draft: Draft, old: KubeObject): FieldError[] => {
    const { roleRef } = draft as unknown as RoleBinding;
    const isSame = isSameValue(roleRef, (old as unknown as RoleBinding).roleRef);
    const shown = { APIGroup: roleRef?.apiGroup ?? "", Kind: roleRef?.kind ?? "", Name: roleRef?.name ?? "" };
    return [...validate(draft), ...(isSame ? [] : [invalid("roleRef", shown, "cannot change roleRef")])];
  };
}

function validateBinding(draft: Draft, kinds: readonly string[]): FieldError[] {
  const { roleRef, subjects = [] } = draft as unknown as RoleBinding;
  const { apiGroup = "", kind = "", name = "" } = roleRef ?? {};
  const isNamespaced = kinds.includes("Role");
  return [
    ...(apiGroup === group ? [] : [notSupported("roleRef.apiGroup", apiGroup, [group])]),
    ...(kinds.includes(kind) ? [] : [notSupported("roleRef.kind", kind, kinds)]),
    ...(name === "" ? [required("roleRef.name")] : invalidForEach("roleRef.name", name, pathSegmentProblems(name))),
    ...subjects.flatMap((subject, index) => validateSubject(subject, isNamespaced, `subjects[${index}]`)),
  ];
}

function validateSubject(subject: Subject, isNamespaced: boolean, path: string): FieldError[] {
  const { kind = "", name = "", namespace = "", apiGroup = "" } = subject;
  const errors = name === "" ? [required(`${path}.name`)] : [];
  if (kind === "ServiceAccount") {
    if (name !== "") errors.push(...invalidForEach(`${path}.name`, name, dnsSubdomainProblems(name)));
    if (apiGroup !== "") errors.push(notSupported(`${path}.apiGroup`, apiGroup, [""]));
    if (!isNamespaced && namespace === "") errors.push(required(`${path}.namespace`));
  } else if (kind === "User" || kind === "Group") {
    if (apiGroup !== group) errors.push(notSupported(`${path}.apiGroup`, apiGroup, [group]));
  } else errors.push(notSupported(`${path}.kind`, kind, ["ServiceAccount", "User", "Group"]));
  return errors;
}
