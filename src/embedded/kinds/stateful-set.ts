import type { StatefulSet } from "kubernetes-types/apps/v1.js";
import type { Draft } from "../kube-object.ts";
import { ageColumn, cellOf, nameColumn, textColumn } from "./columns.ts";
import { defineResource } from "./define-resource.ts";
import { specWithTemplate } from "./pod-spec-defaults.ts";
import { warnAboutWorkload } from "./pod-warnings.ts";
import type { ResourceDefinition } from "./resource-definition.ts";
import { validateStatefulSetStatus } from "./validation/validate-replica-status.ts";
import { validateStatefulSet, validateStatefulSetUpdate } from "./validation/validate-workloads.ts";
import { templateColumns } from "./workload-columns.ts";

export const statefulSetResource: ResourceDefinition = defineResource({
  group: "apps",
  kind: "StatefulSet",
  plural: "statefulsets",
  shortNames: ["sts"],
  categories: ["all"],
  hasStatus: true,
  hasGeneration: true,
  nameRule: "label",
  scale: { specReplicas: ".spec.replicas", statusReplicas: ".status.replicas", labelSelector: ".spec.selector" },
  columns: [
    nameColumn,
    textColumn(
      "Ready",
      "Ready pods, of those wanted.",
      cellOf(({ spec, status }: StatefulSet) => `${status?.readyReplicas ?? 0}/${spec?.replicas ?? 0}`),
    ),
    ageColumn,
    ...templateColumns,
  ],
  setDefaults,
  prepareCreate: (draft) => {
    draft.status = { replicas: 0, availableReplicas: 0 };
  },
  warn: warnAboutWorkload,
  validate: validateStatefulSet,
  validateStatus: validateStatefulSetStatus,
  validateUpdate: validateStatefulSetUpdate,
});

function setDefaults(draft: Draft): void {
  const spec = specWithTemplate<NonNullable<StatefulSet["spec"]>>(draft);
  spec.serviceName ??= "";
  spec.podManagementPolicy ||= "OrderedReady";
  spec.updateStrategy ??= {};
  if (!spec.updateStrategy.type) {
    spec.updateStrategy.type = "RollingUpdate";
    spec.updateStrategy.rollingUpdate ??= {};
  }
  if (spec.updateStrategy.type === "RollingUpdate" && spec.updateStrategy.rollingUpdate !== undefined) {
    spec.updateStrategy.rollingUpdate.partition ??= 0;
    // Behind a feature gate that is closed by default: the server drops it.
    delete spec.updateStrategy.rollingUpdate.maxUnavailable;
  }
  spec.persistentVolumeClaimRetentionPolicy ??= {};
  spec.persistentVolumeClaimRetentionPolicy.whenDeleted ||= "Retain";
  spec.persistentVolumeClaimRetentionPolicy.whenScaled ||= "Retain";
  spec.replicas ??= 1;
  spec.revisionHistoryLimit ??= 10;
  for (const claim of spec.volumeClaimTemplates ?? []) {
    Object.assign(claim, { apiVersion: "v1", kind: "PersistentVolumeClaim", status: { phase: "Pending" } });
    if (claim.spec !== undefined) claim.spec.volumeMode ??= "Filesystem";
  }
}
