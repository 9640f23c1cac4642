import type { Job, JobSpec } from "kubernetes-types/batch/v1.js";
import type { Draft } from "../kube-object.ts";
import { ageColumn, cellOf, nameColumn, textColumn } from "./columns.ts";
import { defineResource } from "./define-resource.ts";
import { humanDuration } from "./human-duration.ts";
import { specWithTemplate } from "./pod-spec-defaults.ts";
import { warnAboutWorkload } from "./pod-warnings.ts";
import type { ResourceDefinition } from "./resource-definition.ts";
import { isSameValue } from "./validation/same-value.ts";
import { validateJob, validateJobUpdate } from "./validation/validate-job.ts";
import { selectorColumn, templateColumns } from "./workload-columns.ts";

export const jobResource: ResourceDefinition = defineResource({
  group: "batch",
  kind: "Job",
  plural: "jobs",
  orphansByDefault: true,
  deleteWarning:
    "child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove them or set propagationPolicy=Orphan to suppress this warning",
  categories: ["all"],
  hasStatus: true,
  hasGeneration: true,
  columns: [
    nameColumn,
    textColumn("Status", "How far the job is.", cellOf(statusOf)),
    textColumn("Completions", "Pods that succeeded, of those needed.", cellOf(completionsOf)),
    textColumn("Duration", "Time from the start to the end, or until now.", cellOf(durationOf)),
    ageColumn,
    ...templateColumns,
    selectorColumn,
  ],
  selectableFields: (object) => ({ "status.successful": String((object as unknown as Job).status?.succeeded ?? 0) }),
  setDefaults,
  prepareCreate,
  warn: warnAboutWorkload,
  validate: validateJob,
  validateUpdate: validateJobUpdate,
});

const statusWords: readonly (readonly [condition: string, word: string])[] = [
  ["Complete", "Complete"],
  ["Failed", "Failed"],
  ["", "Terminating"],
  ["Suspended", "Suspended"],
  ["FailureTarget", "FailureTarget"],
  ["SuccessCriteriaMet", "SuccessCriteriaMet"],
];

function statusOf(job: Job): string {
  const conditions = job.status?.conditions ?? [];
  const found = statusWords.find(([type]) =>
    type === ""
      ? job.metadata?.deletionTimestamp !== undefined
      : conditions.find((condition) => condition.type === type)?.status === "True",
  );
  return found?.[1] ?? "Running";
}

function completionsOf({ spec, status }: Job): string {
  const succeeded = status?.succeeded ?? 0;
  if (spec?.completions !== undefined) return `${succeeded}/${spec.completions}`;
  const parallelism = spec?.parallelism ?? 0;
  return parallelism > 1 ? `${succeeded}/1 of ${parallelism}` : `${succeeded}/1`;
}

function durationOf({ status }: Job, now: number): string {
  if (status?.startTime === undefined) return "";
  const end = status.completionTime === undefined ? now : Date.parse(status.completionTime);
  return humanDuration(end - Date.parse(status.startTime));
}

function setDefaults(draft: Draft): void {
  const spec = specWithTemplate<JobSpec>(draft);
  if (spec.completions === undefined && spec.parallelism === undefined) spec.completions = 1;
  spec.parallelism ??= 1;
  spec.backoffLimit ??= spec.backoffLimitPerIndex === undefined ? 6 : 2 ** 31 - 1;
  const labels = spec.template?.metadata?.labels;
  if (labels !== undefined && Object.keys(draft.metadata.labels ?? {}).length === 0)
    draft.metadata.labels = { ...labels };
  setJobSpecDefaults(spec);
}

function setJobSpecDefaults(spec: JobSpec): void {
  spec.completionMode ??= "NonIndexed";
  spec.suspend ??= false;
  spec.podReplacementPolicy ??= spec.podFailurePolicy === undefined ? "TerminatingOrFailed" : "Failed";
  spec.manualSelector ??= false;
  for (const rule of spec.podFailurePolicy?.rules ?? []) {
    for (const pattern of rule.onPodConditions ?? []) pattern.status ||= "True";
  }
}

/** The server labels the pods of a job after its uid and selects them by that, unless the writer chose a selector. */
function prepareCreate(draft: Draft): void {
  draft.status = {};
  const { metadata, spec } = draft as unknown as Job;
  if (spec === undefined || spec.manualSelector === true) return;
  const uid = metadata?.uid ?? "";
  const name = metadata?.name ?? "";
  spec.template.metadata ??= {};
  const labels = { ...spec.template.metadata.labels };
  labels["controller-uid"] ??= uid;
  labels["batch.kubernetes.io/controller-uid"] ??= uid;
  labels["job-name"] ??= name;
  labels["batch.kubernetes.io/job-name"] ??= name;
  // A job without labels gets those of its pods.
  const isUnlabelled = isSameValue(draft.metadata.labels, spec.template.metadata.labels);
  if (isUnlabelled) draft.metadata.labels = { ...labels };
  spec.template.metadata.labels = labels;
  spec.selector ??= {};
  spec.selector.matchLabels ??= {};
  spec.selector.matchLabels["batch.kubernetes.io/controller-uid"] ??= uid;
}
