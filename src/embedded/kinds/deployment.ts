import type { Deployment } from "kubernetes-types/apps/v1.js";
import type { Draft } from "../kube-object.ts";
import { ageColumn, cellOf, nameColumn, textColumn, wideColumn } from "./columns.ts";
import { defineResource } from "./define-resource.ts";
import { selectorText } from "./label-text.ts";
import { specWithTemplate } from "./pod-spec-defaults.ts";
import { warnAboutWorkload } from "./pod-warnings.ts";
import type { ResourceDefinition } from "./resource-definition.ts";
import { validateDeploymentStatus } from "./validation/validate-replica-status.ts";
import { validateDeployment, withImmutableSelector } from "./validation/validate-workloads.ts";
import { templateColumns } from "./workload-columns.ts";

export const deploymentResource: ResourceDefinition = defineResource({
  group: "apps",
  kind: "Deployment",
  plural: "deployments",
  countsAnnotations: true,
  shortNames: ["deploy"],
  categories: ["all"],
  hasStatus: true,
  hasGeneration: true,
  scale: { specReplicas: ".spec.replicas", statusReplicas: ".status.replicas", labelSelector: ".spec.selector" },
  columns: [
    nameColumn,
    textColumn(
      "Ready",
      "Ready pods, of those wanted.",
      cellOf(({ spec, status }: Deployment) => `${status?.readyReplicas ?? 0}/${spec?.replicas ?? 0}`),
    ),
    textColumn(
      "Up-to-date",
      "Pods of the newest template.",
      cellOf(({ status }: Deployment) => status?.updatedReplicas ?? 0),
    ),
    textColumn(
      "Available",
      "Pods that have been ready long enough.",
      cellOf(({ status }: Deployment) => status?.availableReplicas ?? 0),
    ),
    ageColumn,
    ...templateColumns,
    wideColumn(
      "Selector",
      "Which pods belong to it.",
      cellOf(({ spec }: Deployment) => selectorText(spec?.selector).replace("<error>", "<invalid>")),
    ),
  ],
  setDefaults,
  prepareCreate: (draft) => {
    draft.status = {};
  },
  prepareStatus: (draft, old) => {
    const { labels } = old.metadata;
    if (labels === undefined) delete draft.metadata.labels;
    else draft.metadata.labels = { ...labels };
  },
  warn: warnAboutWorkload,
  validate: validateDeployment,
  validateStatus: validateDeploymentStatus,
  validateUpdate: withImmutableSelector(validateDeployment),
});

function setDefaults(draft: Draft): void {
  const spec = specWithTemplate<NonNullable<Deployment["spec"]>>(draft);
  spec.replicas ??= 1;
  spec.strategy ??= {};
  spec.strategy.type ||= "RollingUpdate";
  if (spec.strategy.type === "RollingUpdate") {
    spec.strategy.rollingUpdate ??= {};
    spec.strategy.rollingUpdate.maxUnavailable ??= "25%";
    spec.strategy.rollingUpdate.maxSurge ??= "25%";
  }
  spec.revisionHistoryLimit ??= 10;
  spec.progressDeadlineSeconds ??= 600;
}
