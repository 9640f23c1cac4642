import type { ControllerRevision } from "kubernetes-types/apps/v1.js";
import type { Lease } from "kubernetes-types/coordination/v1.js";
import type { LimitRange, LimitRangeItem, PodTemplate, ResourceQuota } from "kubernetes-types/core/v1.js";
import type { RuntimeClass } from "kubernetes-types/node/v1.js";
import type { PriorityClass } from "kubernetes-types/scheduling/v1.js";
import { ageColumn, booleanColumn, cellOf, integerColumn, nameColumn, textColumn } from "./columns.ts";
import { defineResource } from "./define-resource.ts";
import { compareText, formatLabels } from "./label-text.ts";
import { warnAboutLabel } from "./old-labels.ts";
import { setPodTemplateDefaults } from "./pod-spec-defaults.ts";
import { warnAboutTemplate } from "./pod-warnings.ts";
import type { ResourceDefinition } from "./resource-definition.ts";
import { roundResources } from "./resource-list.ts";
import { validatePodTemplate } from "./validation/validate-pod-spec.ts";
import {
  validateControllerRevision,
  validateControllerRevisionUpdate,
  validateLease,
  validatePriorityClass,
  validatePriorityClassUpdate,
  validateRuntimeClass,
  validateRuntimeClassUpdate,
} from "./validation/validate-small.ts";
import { containerImages, containerNames } from "./workload-columns.ts";

export const leaseResource: ResourceDefinition = defineResource({
  group: "coordination.k8s.io",
  kind: "Lease",
  canCreateByUpdate: true,
  requiresVersion: true,
  setDefaults: (draft) => {
    // Behind a feature gate that is closed by default: the server drops both.
    const spec = (draft.spec ?? {}) as { strategy?: string; preferredHolder?: string };
    delete spec.strategy;
    delete spec.preferredHolder;
  },
  validate: validateLease,
  plural: "leases",
  columns: [
    nameColumn,
    textColumn(
      "Holder",
      "Who holds it.",
      cellOf(({ spec }: Lease) => spec?.holderIdentity ?? ""),
    ),
    ageColumn,
  ],
});

export const priorityClassResource: ResourceDefinition = defineResource({
  group: "scheduling.k8s.io",
  kind: "PriorityClass",
  validate: validatePriorityClass,
  validateUpdate: validatePriorityClassUpdate,
  plural: "priorityclasses",
  shortNames: ["pc"],
  isNamespaced: false,
  hasGeneration: true,
  columns: [
    nameColumn,
    integerColumn(
      "Value",
      "The priority.",
      cellOf(({ value }: PriorityClass) => value ?? 0),
    ),
    booleanColumn(
      "Global-Default",
      "Whether pods without a class get it.",
      cellOf(({ globalDefault }: PriorityClass) => globalDefault ?? false),
    ),
    ageColumn,
    textColumn(
      "PreemptionPolicy",
      "Whether its pods push others out.",
      cellOf(({ preemptionPolicy }: PriorityClass) => preemptionPolicy ?? ""),
    ),
  ],
  setDefaults: (draft) => {
    (draft as unknown as PriorityClass).preemptionPolicy ??= "PreemptLowerPriority";
  },
});

export const runtimeClassResource: ResourceDefinition = defineResource({
  group: "node.k8s.io",
  kind: "RuntimeClass",
  canCreateByUpdate: true,
  requiresVersion: true,
  validate: validateRuntimeClass,
  validateUpdate: validateRuntimeClassUpdate,
  plural: "runtimeclasses",
  isNamespaced: false,
  columns: [
    nameColumn,
    textColumn(
      "Handler",
      "The configuration of the container runtime.",
      cellOf(({ handler }: RuntimeClass) => handler),
    ),
    ageColumn,
  ],
  warn: (draft) => {
    const { scheduling } = draft as unknown as RuntimeClass;
    return Object.keys(scheduling?.nodeSelector ?? {}).flatMap((key) =>
      warnAboutLabel(key, "scheduling.nodeSelector: "),
    );
  },
});

export const controllerRevisionResource: ResourceDefinition = defineResource({
  group: "apps",
  kind: "ControllerRevision",
  validate: validateControllerRevision,
  validateUpdate: validateControllerRevisionUpdate,
  plural: "controllerrevisions",
  columns: [
    nameColumn,
    textColumn("Controller", "Whose past it is.", cellOf(controllerOf)),
    textColumn(
      "Revision",
      "Its number.",
      cellOf(({ revision }: ControllerRevision) => revision ?? 0),
    ),
    ageColumn,
  ],
});

function controllerOf({ metadata }: ControllerRevision): string {
  const owner = metadata?.ownerReferences?.find(({ controller }) => controller === true);
  if (owner === undefined) return "<none>";
  const group = owner.apiVersion.includes("/") ? `.${owner.apiVersion.split("/")[0]}` : "";
  return `${`${owner.kind}${group}`.toLowerCase()}/${owner.name}`;
}

export const podTemplateResource: ResourceDefinition = defineResource({
  group: "",
  kind: "PodTemplate",
  plural: "podtemplates",
  returnsDeletedObject: true,
  hasGeneration: true,
  columns: [
    nameColumn,
    textColumn(
      "Containers",
      "Names of the containers.",
      cellOf(({ template }: PodTemplate) => containerNames(template?.spec?.containers ?? [])),
    ),
    textColumn(
      "Images",
      "Images of the containers.",
      cellOf(({ template }: PodTemplate) => containerImages(template?.spec?.containers ?? [])),
    ),
    textColumn(
      "Pod Labels",
      "Labels of its pods.",
      cellOf(({ template }: PodTemplate) => formatLabels(template?.metadata?.labels)),
    ),
  ],
  setDefaults: (draft) => {
    const podTemplate = draft as unknown as PodTemplate;
    podTemplate.template ??= {};
    setPodTemplateDefaults(podTemplate.template);
  },
  warn: (draft) => warnAboutTemplate((draft as unknown as PodTemplate).template, "template"),
  validate: (draft) => validatePodTemplate((draft as unknown as PodTemplate).template, "template"),
});

/** Stored for those who ask; nothing enforces it here. */
export const limitRangeResource: ResourceDefinition = defineResource({
  group: "",
  kind: "LimitRange",
  canCreateByUpdate: true,
  plural: "limitranges",
  shortNames: ["limits"],
  setDefaults: (draft) => {
    for (const item of (draft as unknown as LimitRange).spec?.limits ?? []) setLimitDefaults(item);
  },
});

/** Where a container says nothing, the most is its limit, and its limit or the least is its request. */
function setLimitDefaults(item: LimitRangeItem): void {
  if (item.type !== "Container") return;
  item.default = { ...item.max, ...item.default };
  item.defaultRequest = { ...item.min, ...item.default, ...item.defaultRequest };
}

/** Stored for those who ask; nothing enforces it here. */
export const resourceQuotaResource: ResourceDefinition = defineResource({
  group: "",
  kind: "ResourceQuota",
  plural: "resourcequotas",
  returnsDeletedObject: true,
  shortNames: ["quota"],
  hasStatus: true,
  columns: [
    nameColumn,
    textColumn(
      "Request",
      "Requests used, of those allowed.",
      cellOf((quota: ResourceQuota) => usageOf(quota, (name) => !name.startsWith("limits."))),
    ),
    textColumn(
      "Limit",
      "Limits used, of those allowed.",
      cellOf((quota: ResourceQuota) => usageOf(quota, (name) => name.startsWith("limits."))),
    ),
    ageColumn,
  ],
  setDefaults: (draft) => {
    roundResources((draft as unknown as ResourceQuota).spec?.hard);
  },
  prepareCreate: (draft) => {
    draft.status = {};
  },
});

function usageOf({ status }: ResourceQuota, isShown: (name: string) => boolean): string {
  return Object.entries(status?.hard ?? {})
    .filter(([name]) => isShown(name))
    .sort(([a], [b]) => compareText(a, b))
    .map(([name, hard]) => `${name}: ${status?.used?.[name] ?? "0"}/${hard}`)
    .join(", ");
}

export const customResourceDefinitionResource: ResourceDefinition = defineResource({
  group: "apiextensions.k8s.io",
  kind: "CustomResourceDefinition",
  requiresVersion: true,
  plural: "customresourcedefinitions",
  shortNames: ["crd", "crds"],
  categories: ["api-extensions"],
  isNamespaced: false,
  typeName: "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceDefinition",
  hasStatus: true,
  hasGeneration: true,
});
