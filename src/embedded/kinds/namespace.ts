import type { Namespace } from "kubernetes-types/core/v1.js";
import type { FieldError } from "../../core/api/field-error.ts";
import type { Draft } from "../kube-object.ts";
import { ageColumn, cellOf, nameColumn, textColumn } from "./columns.ts";
import { defineResource } from "./define-resource.ts";
import { invalid } from "./refusals.ts";
import type { ResourceDefinition } from "./resource-definition.ts";
import { finalizerErrors } from "./validation/validate-finalizers.ts";

export const namespaceResource: ResourceDefinition = defineResource({
  group: "",
  kind: "Namespace",
  plural: "namespaces",
  returnsDeletedObject: true,
  shortNames: ["ns"],
  isNamespaced: false,
  hasStatus: true,
  verbs: ["create", "delete", "get", "list", "patch", "update", "watch"],
  nameRule: "label",
  columns: [
    nameColumn,
    textColumn(
      "Status",
      "Active, or on its way out.",
      cellOf(({ status }: Namespace) => status?.phase ?? ""),
    ),
    ageColumn,
  ],
  selectableFields: (object) => {
    const { metadata, status } = object as unknown as Namespace;
    return { name: metadata?.name ?? "", "status.phase": status?.phase ?? "" };
  },
  setDefaults,
  prepareCreate,
  prepareDelete: (draft) => {
    draft.status = { ...(draft.status as object | undefined), phase: "Terminating" };
  },
  refuseDelete: ({ metadata }) =>
    ["default", "kube-public", "kube-system"].includes(metadata.name) ? "this namespace may not be deleted" : undefined,
  prepareUpdate: (draft, old) => {
    draft.spec = { ...(draft.spec as object), finalizers: (old as unknown as Namespace).spec?.finalizers };
  },
  validate: (draft) => finalizerErrors("spec.finalizers", (draft as unknown as Namespace).spec?.finalizers ?? []),
  validateStatus,
});

/** A namespace ends when it is deleted, and not before. */
function validateStatus(draft: Draft): FieldError[] {
  const { metadata, status } = draft as unknown as Namespace;
  const isDeleted = metadata?.deletionTimestamp !== undefined;
  const phase = isDeleted ? "Terminating" : "Active";
  if (status?.phase === phase) return [];
  const detail = `may only be '${phase}' if \`deletionTimestamp\` is ${isDeleted ? "not empty" : "empty"}`;
  return [invalid("status.Phase", status?.phase, detail)];
}

/** Every namespace carries its own name as a label, so that selectors can name it. */
function setDefaults(draft: Draft): void {
  const { name } = draft.metadata;
  if (name) draft.metadata.labels = { ...draft.metadata.labels, "kubernetes.io/metadata.name": name };
  draft.status = {
    ...(draft.status as object | undefined),
    phase: (draft as unknown as Namespace).status?.phase || "Active",
  };
}

function prepareCreate(draft: Draft): void {
  const finalizers = (draft as unknown as Namespace).spec?.finalizers ?? [];
  draft.spec = { finalizers: finalizers.includes("kubernetes") ? finalizers : [...finalizers, "kubernetes"] };
  draft.status = { phase: "Active" };
}
