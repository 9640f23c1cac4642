import type { DaemonSet } from "kubernetes-types/apps/v1.js";
import type { Draft, KubeObject } from "../kube-object.ts";
import { ageColumn, cellOf, integerColumn, nameColumn, textColumn } from "./columns.ts";
import { defineResource } from "./define-resource.ts";
import { formatLabels } from "./label-text.ts";
import { specWithTemplate } from "./pod-spec-defaults.ts";
import { warnAboutWorkload } from "./pod-warnings.ts";
import type { ResourceDefinition } from "./resource-definition.ts";
import { isSameValue } from "./validation/same-value.ts";
import { validateDaemonSet, validateDaemonSetUpdate } from "./validation/validate-workloads.ts";
import { selectorColumn, templateColumns } from "./workload-columns.ts";

export const daemonSetResource: ResourceDefinition = defineResource({
  group: "apps",
  kind: "DaemonSet",
  plural: "daemonsets",
  shortNames: ["ds"],
  categories: ["all"],
  hasStatus: true,
  hasGeneration: true,
  columns: [
    nameColumn,
    integerColumn(
      "Desired",
      "Nodes that should run its pod.",
      cellOf(({ status }: DaemonSet) => status?.desiredNumberScheduled ?? 0),
    ),
    integerColumn(
      "Current",
      "Nodes that have its pod.",
      cellOf(({ status }: DaemonSet) => status?.currentNumberScheduled ?? 0),
    ),
    integerColumn(
      "Ready",
      "Nodes whose pod is ready.",
      cellOf(({ status }: DaemonSet) => status?.numberReady ?? 0),
    ),
    integerColumn(
      "Up-to-date",
      "Nodes with a pod of the newest template.",
      cellOf(({ status }: DaemonSet) => status?.updatedNumberScheduled ?? 0),
    ),
    integerColumn(
      "Available",
      "Nodes whose pod has been ready long enough.",
      cellOf(({ status }: DaemonSet) => status?.numberAvailable ?? 0),
    ),
    textColumn(
      "Node Selector",
      "Which nodes it is for.",
      cellOf(({ spec }: DaemonSet) => formatLabels(spec?.template?.spec?.nodeSelector)),
    ),
    ageColumn,
    ...templateColumns,
    selectorColumn,
  ],
  setDefaults,
  prepareCreate,
  prepareUpdate,
  warn: warnAboutWorkload,
  validate: validateDaemonSet,
  validateUpdate: validateDaemonSetUpdate,
});

function setDefaults(draft: Draft): void {
  const spec = specWithTemplate<NonNullable<DaemonSet["spec"]>>(draft);
  spec.updateStrategy ??= {};
  spec.updateStrategy.type ||= "RollingUpdate";
  if (spec.updateStrategy.type === "RollingUpdate") {
    spec.updateStrategy.rollingUpdate ??= {};
    spec.updateStrategy.rollingUpdate.maxUnavailable ??= 1;
    spec.updateStrategy.rollingUpdate.maxSurge ??= 0;
  }
  spec.revisionHistoryLimit ??= 10;
}

function prepareCreate(draft: Draft): void {
  draft.status = { currentNumberScheduled: 0, numberMisscheduled: 0, desiredNumberScheduled: 0, numberReady: 0 };
  setTemplateGeneration(draft, 1);
}

const generationAnnotation = "deprecated.daemonset.template.generation";

function setTemplateGeneration(draft: Draft, generation: number): void {
  draft.metadata.annotations = { ...draft.metadata.annotations, [generationAnnotation]: String(generation) };
}

/** Counts the templates, as older clients expect it. */
function prepareUpdate(draft: Draft, old: KubeObject): void {
  const before = Number(old.metadata.annotations?.[generationAnnotation] ?? 0);
  const templateOf = (object: Draft | KubeObject) => (object as unknown as DaemonSet).spec?.template;
  setTemplateGeneration(draft, isSameValue(templateOf(draft), templateOf(old)) ? before : before + 1);
}
