import type { RoleBinding, Subject } from "kubernetes-types/rbac/v1.js";
import type { Draft } from "../kube-object.ts";
import { ageColumn, cellOf, nameColumn, textColumn, wideColumn } from "./columns.ts";
import { defineResource } from "./define-resource.ts";
import type { Column, ResourceDefinition } from "./resource-definition.ts";
import {
  validateClusterRole,
  validateClusterRoleBinding,
  validateRole,
  validateRoleBinding,
  withFixedRole,
} from "./validation/validate-rbac.ts";

const group = "rbac.authorization.k8s.io";

const bindingColumns: readonly Column[] = [
  nameColumn,
  textColumn(
    "Role",
    "What is granted.",
    cellOf(({ roleRef }: RoleBinding) => `${roleRef?.kind ?? ""}/${roleRef?.name ?? ""}`),
  ),
  ageColumn,
  wideColumn(
    "Users",
    "Users that it is granted to.",
    cellOf((binding: RoleBinding) => subjectNames(binding, "User")),
  ),
  wideColumn(
    "Groups",
    "Groups that it is granted to.",
    cellOf((binding: RoleBinding) => subjectNames(binding, "Group")),
  ),
  wideColumn(
    "ServiceAccounts",
    "Service accounts that it is granted to.",
    cellOf((binding: RoleBinding) => subjectNames(binding, "ServiceAccount")),
  ),
];

function subjectNames({ subjects }: RoleBinding, kind: string): string {
  return (subjects ?? [])
    .filter((subject) => subject.kind === kind)
    .map(({ name, namespace }: Subject) => (kind === "ServiceAccount" && namespace ? `${namespace}/${name}` : name))
    .join(", ");
}

export const roleResource: ResourceDefinition = defineResource({
  group,
  kind: "Role",
  canCreateByUpdate: true,
  setDefaults: setRoleDefaults,
  validate: validateRole,
  plural: "roles",
  nameRule: "path-segment",
});

export const clusterRoleResource: ResourceDefinition = defineResource({
  group,
  kind: "ClusterRole",
  canCreateByUpdate: true,
  setDefaults: setRoleDefaults,
  validate: validateClusterRole,
  plural: "clusterroles",
  isNamespaced: false,
  nameRule: "path-segment",
});

export const roleBindingResource: ResourceDefinition = defineResource({
  group,
  kind: "RoleBinding",
  canCreateByUpdate: true,
  validate: validateRoleBinding,
  validateUpdate: withFixedRole(validateRoleBinding),
  plural: "rolebindings",
  nameRule: "path-segment",
  columns: bindingColumns,
  setDefaults: setBindingDefaults,
});

export const clusterRoleBindingResource: ResourceDefinition = defineResource({
  group,
  kind: "ClusterRoleBinding",
  canCreateByUpdate: true,
  validate: validateClusterRoleBinding,
  validateUpdate: withFixedRole(validateClusterRoleBinding),
  plural: "clusterrolebindings",
  isNamespaced: false,
  nameRule: "path-segment",
  columns: bindingColumns,
  setDefaults: setBindingDefaults,
});

/** Rules that nobody set are on the wire as null. */
function setRoleDefaults(draft: Draft): void {
  draft.rules ??= null;
}

function setBindingDefaults(draft: Draft): void {
  const { roleRef, subjects } = draft as unknown as RoleBinding;
  if (roleRef !== undefined) roleRef.apiGroup ||= group;
  for (const subject of subjects ?? []) {
    if (subject.kind === "User" || subject.kind === "Group") subject.apiGroup ||= group;
  }
}
