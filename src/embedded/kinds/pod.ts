import type { Pod } from "kubernetes-types/core/v1.js";
import type { Draft, KubeObject } from "../kube-object.ts";
import { ageColumn, cellOf, nameColumn, textColumn, wideColumn } from "./columns.ts";
import { mergeMatchLabelKeys } from "./match-label-keys.ts";
import { readinessGates, summarizePod } from "./pod-cells.ts";
import { setPodDefaults } from "./pod-defaults.ts";
import { warnAboutPod } from "./pod-warnings.ts";
import { qosClassOf } from "./qos-class.ts";
import type { ResourceDefinition, RowCondition } from "./resource-definition.ts";
import { validatePodCreate, validatePodStatus, validatePodUpdate } from "./validation/validate-pod.ts";

export const podResource: ResourceDefinition = {
  group: "",
  version: "v1",
  kind: "Pod",
  plural: "pods",
  returnsDeletedObject: true,
  singular: "pod",
  shortNames: ["po"],
  categories: ["all"],
  isNamespaced: true,
  typeName: "io.k8s.api.core.v1.Pod",
  hasStatus: true,
  hasGeneration: true,
  columns: [
    nameColumn,
    textColumn(
      "Ready",
      "Containers that are ready, of all.",
      cellOf((pod: Pod, now) => summarizePod(pod, now).ready),
    ),
    textColumn(
      "Status",
      "What the pod is doing.",
      cellOf((pod: Pod, now) => summarizePod(pod, now).status),
    ),
    textColumn(
      "Restarts",
      "Restarts of containers, and the last.",
      cellOf((pod: Pod, now) => summarizePod(pod, now).restarts),
    ),
    ageColumn,
    wideColumn(
      "IP",
      "Address of the pod.",
      cellOf((pod: Pod) => pod.status?.podIPs?.[0]?.ip || "<none>"),
    ),
    wideColumn(
      "Node",
      "Node that the pod is bound to.",
      cellOf((pod: Pod) => pod.spec?.nodeName || "<none>"),
    ),
    wideColumn(
      "Nominated Node",
      "Node that is being freed for the pod.",
      cellOf((pod: Pod) => pod.status?.nominatedNodeName || "<none>"),
    ),
    wideColumn("Readiness Gates", "Open readiness gates, of all.", cellOf(readinessGates)),
  ],
  rowConditions,
  selectableFields,
  setDefaults: setPodDefaults,
  prepareCreate,
  prepareStatus,
  gracePeriodSeconds,
  warn: warnAboutPod,
  validate: validatePodCreate,
  validateUpdate: validatePodUpdate,
  validateStatus: validatePodStatus,
};

function selectableFields(object: KubeObject): Record<string, string> {
  const { spec, status } = object as unknown as Pod;
  return {
    "spec.nodeName": spec?.nodeName ?? "",
    "spec.restartPolicy": spec?.restartPolicy ?? "",
    "spec.schedulerName": spec?.schedulerName ?? "",
    "spec.serviceAccountName": spec?.serviceAccountName ?? "",
    "spec.hostNetwork": String(spec?.hostNetwork ?? false),
    "status.phase": status?.phase ?? "",
    "status.podIP": status?.podIPs?.[0]?.ip ?? "",
    "status.nominatedNodeName": status?.nominatedNodeName ?? "",
  };
}

function prepareCreate(draft: Draft): void {
  const { metadata, spec } = draft as unknown as Pod;
  draft.status = { phase: "Pending", qosClass: qosClassOf(draft as unknown as Pod), ...gatedConditions(draft) };
  if (spec !== undefined) mergeMatchLabelKeys(spec, metadata?.labels ?? {});
}

/** A pod with gates is born with the condition that says why nobody schedules it. */
function gatedConditions(draft: Draft): { conditions?: object[] } {
  const { metadata, spec } = draft as unknown as Pod;
  if ((spec?.schedulingGates ?? []).length === 0) return {};
  const condition = {
    type: "PodScheduled",
    status: "False",
    lastProbeTime: null,
    ...(metadata?.creationTimestamp === undefined ? {} : { lastTransitionTime: metadata.creationTimestamp }),
    reason: "SchedulingGated",
    message: "Scheduling is blocked due to non-empty scheduling gates",
  };
  return { conditions: [condition] };
}

/** The class of a pod is decided when it is made, and its owners are nobody's business who writes a status. */
function prepareStatus(draft: Draft, old: KubeObject): void {
  const before = (old as unknown as Pod).status;
  const status = draft.status as object | undefined;
  if (before?.qosClass !== undefined) draft.status = { qosClass: before.qosClass, ...status };
  const { ownerReferences } = old.metadata;
  if (ownerReferences === undefined) delete draft.metadata.ownerReferences;
  else draft.metadata.ownerReferences = structuredClone(ownerReferences) as typeof ownerReferences;
}

const endings: Readonly<Record<string, string>> = {
  Succeeded: "The pod has completed successfully.",
  Failed: "The pod failed.",
};

function rowConditions(object: KubeObject): readonly RowCondition[] {
  const reason = (object as unknown as Pod).status?.phase ?? "";
  const message = Object.hasOwn(endings, reason) ? endings[reason] : undefined;
  return message === undefined ? [] : [{ type: "Completed", status: "True", reason, message }];
}

/** What runs nowhere, or not any more, ends at once. */
function gracePeriodSeconds(object: KubeObject, requested: number | undefined): number {
  const { spec, status } = object as unknown as Pod;
  if (!spec?.nodeName || status?.phase === "Failed" || status?.phase === "Succeeded") return 0;
  const seconds = requested ?? spec.terminationGracePeriodSeconds ?? 0;
  return seconds < 0 ? 1 : seconds;
}
