import type { ReplicaSet } from "kubernetes-types/apps/v1.js";
import type { ReplicationController } from "kubernetes-types/core/v1.js";
import type { Draft } from "../kube-object.ts";
import { ageColumn, cellOf, integerColumn, nameColumn, wideColumn } from "./columns.ts";
import { defineResource } from "./define-resource.ts";
import { formatLabels } from "./label-text.ts";
import { setPodTemplateDefaults, specWithTemplate } from "./pod-spec-defaults.ts";
import { warnAboutWorkload } from "./pod-warnings.ts";
import type { Column, ResourceDefinition } from "./resource-definition.ts";
import { validateReplicaSetStatus } from "./validation/validate-replica-status.ts";
import {
  validateReplicaSet,
  validateReplicationController,
  withImmutableSelector,
} from "./validation/validate-workloads.ts";
import { selectorColumn, templateColumns } from "./workload-columns.ts";

type Replicated = ReplicaSet | ReplicationController;

const replicaColumns: readonly Column[] = [
  nameColumn,
  integerColumn(
    "Desired",
    "Pods that are wanted.",
    cellOf(({ spec }: Replicated) => spec?.replicas ?? 0),
  ),
  integerColumn(
    "Current",
    "Pods that exist.",
    cellOf(({ status }: Replicated) => status?.replicas ?? 0),
  ),
  integerColumn(
    "Ready",
    "Pods that are ready.",
    cellOf(({ status }: Replicated) => status?.readyReplicas ?? 0),
  ),
  ageColumn,
  ...templateColumns,
];

const replicaScale = {
  specReplicas: ".spec.replicas",
  statusReplicas: ".status.replicas",
  labelSelector: ".spec.selector",
};

const replicaFields: ResourceDefinition["selectableFields"] = (object) => ({
  "status.replicas": String((object as unknown as Replicated).status?.replicas ?? 0),
});

export const replicaSetResource: ResourceDefinition = defineResource({
  group: "apps",
  kind: "ReplicaSet",
  plural: "replicasets",
  shortNames: ["rs"],
  categories: ["all"],
  hasStatus: true,
  hasGeneration: true,
  scale: replicaScale,
  columns: [...replicaColumns, selectorColumn],
  setDefaults: setReplicaDefaults,
  prepareCreate: clearStatus,
  warn: warnAboutWorkload,
  validate: validateReplicaSet,
  validateStatus: validateReplicaSetStatus,
  validateUpdate: withImmutableSelector(validateReplicaSet),
});

/** Stored for those who ask; nothing acts on them here. */
export const replicationControllerResource: ResourceDefinition = defineResource({
  group: "",
  kind: "ReplicationController",
  plural: "replicationcontrollers",
  orphansByDefault: true,
  shortNames: ["rc"],
  categories: ["all"],
  hasStatus: true,
  hasGeneration: true,
  scale: replicaScale,
  columns: [
    ...replicaColumns,
    wideColumn(
      "Selector",
      "Which pods belong to it.",
      cellOf(({ spec }: ReplicationController) => formatLabels(spec?.selector)),
    ),
  ],
  selectableFields: replicaFields,
  setDefaults: setReplicationControllerDefaults,
  prepareCreate: clearStatus,
  warn: warnAboutWorkload,
  validate: validateReplicationController,
  validateStatus: validateReplicaSetStatus,
});

function setReplicaDefaults(draft: Draft): void {
  const spec = specWithTemplate<NonNullable<ReplicaSet["spec"]>>(draft);
  spec.replicas ??= 1;
}

function setReplicationControllerDefaults(draft: Draft): void {
  draft.spec ??= {};
  const spec = draft.spec as NonNullable<ReplicationController["spec"]>;
  if (spec.template !== undefined) setPodTemplateDefaults(spec.template);
  const labels = spec.template?.metadata?.labels;
  if (labels !== undefined && Object.keys(spec.selector ?? {}).length === 0) spec.selector = { ...labels };
  if (labels !== undefined && Object.keys(draft.metadata.labels ?? {}).length === 0)
    draft.metadata.labels = { ...labels };
  spec.replicas ??= 1;
}

function clearStatus(draft: Draft): void {
  draft.status = { replicas: 0 };
}
