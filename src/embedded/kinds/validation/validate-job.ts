import type { CronJob, Job, JobSpec } from "kubernetes-types/batch/v1.js";
import type { FieldError } from "../../../core/api/field-error.ts";
import { required } from "../../../core/api/schema/refusals.ts";
import { parseCronSchedule } from "../../../core/model/parse-cron-schedule.ts";
import type { Draft, KubeObject } from "../../kube-object.ts";
import { checkChoice, checkNotNegative, invalid, notSupported } from "../refusals.ts";
import { isSameValue, validateImmutable } from "./same-value.ts";
import { validateFailurePolicy } from "./validate-failure-policy.ts";
import { isSensibleSelector, selects, validateLabelSelector } from "./validate-labels.ts";
import { validatePodTemplate } from "./validate-pod-spec.ts";

const mostIndexedPods = 100_000;

export function validateJob(draft: Draft): FieldError[] {
  const { metadata, spec } = draft as unknown as Job;
  if (spec === undefined) return [required("spec.selector")];
  return [...validateGenerated(spec, metadata ?? {}), ...validateSelectedJob(spec)];
}

/** What the server put into the selector and the template must still be there, whatever the writer put there too. */
function validateGenerated(spec: JobSpec, { uid = "", name = "" }: { uid?: string; name?: string }): FieldError[] {
  if (spec.manualSelector === true || spec.selector === undefined) return [];
  const expected = [
    ["controller-uid", uid],
    ["job-name", name],
    ["batch.kubernetes.io/controller-uid", uid],
    ["batch.kubernetes.io/job-name", name],
  ] as const;
  const labels = spec.template.metadata?.labels ?? {};
  const errors = expected.flatMap(([key, value]) => {
    if (labels[key] === value) return [];
    const field = `spec.template.metadata.labels[${key}]`;
    return labels[key] === undefined
      ? [required(field, `must be '${value}'`)]
      : [invalid(field, labels, `must be '${value}'`)];
  });
  const isGenerated = !isSensibleSelector(spec.selector) || selects(spec.selector, Object.fromEntries(expected));
  return isGenerated ? errors : [...errors, invalid("spec.selector", spec.selector, "`selector` not auto-generated")];
}

function validateSelectedJob(spec: JobSpec): FieldError[] {
  const errors = validateJobSpec(spec, "spec");
  if (spec.selector === undefined) return [...errors, required("spec.selector")];
  errors.push(...validateLabelSelector(spec.selector, "spec.selector"));
  const labels = spec.template.metadata?.labels ?? {};
  if (!isSensibleSelector(spec.selector) || selects(spec.selector, labels)) return errors;
  return [...errors, invalid("spec.template.metadata.labels", labels, "`selector` does not match template `labels`")];
}

const counts = [
  "parallelism",
  "completions",
  "activeDeadlineSeconds",
  "backoffLimit",
  "ttlSecondsAfterFinished",
  "backoffLimitPerIndex",
  "maxFailedIndexes",
] as const;

function validateJobSpec(spec: JobSpec, path: string): FieldError[] {
  return [
    ...counts.flatMap((field) => checkNotNegative(`${path}.${field}`, spec[field])),
    ...validateCompletionMode(spec, path),
    ...validateFailurePolicy(spec, `${path}.podFailurePolicy`),
    ...validateReplacement(spec, `${path}.podReplacementPolicy`),
    ...validatePodTemplate(spec.template, `${path}.template`),
    ...validateEnding(spec, `${path}.template.spec.restartPolicy`),
  ];
}

function validateCompletionMode(spec: JobSpec, path: string): FieldError[] {
  const { completionMode = "NonIndexed", completions, parallelism = 0, backoffLimitPerIndex, maxFailedIndexes } = spec;
  const errors: FieldError[] = [];
  if (maxFailedIndexes !== undefined && backoffLimitPerIndex === undefined) {
    errors.push(required(`${path}.backoffLimitPerIndex`, "when maxFailedIndexes is specified"));
  }
  if (completionMode !== "NonIndexed" && completionMode !== "Indexed") {
    errors.push(notSupported(`${path}.completionMode`, completionMode, ["NonIndexed", "Indexed"]));
  }
  if (completionMode === "Indexed") {
    if (completions === undefined) errors.push(required(`${path}.completions`, "when completion mode is Indexed"));
    if (parallelism > mostIndexedPods) {
      const detail = `must be less than or equal to ${mostIndexedPods} when completion mode is Indexed`;
      errors.push(invalid(`${path}.parallelism`, parallelism, detail));
    }
  }
  if (completionMode === "NonIndexed") {
    for (const field of ["backoffLimitPerIndex", "maxFailedIndexes"] as const) {
      const value = spec[field];
      if (value !== undefined) errors.push(invalid(`${path}.${field}`, value, "requires indexed completion mode"));
    }
  }
  return errors;
}

function validateReplacement({ podReplacementPolicy: policy, podFailurePolicy }: JobSpec, field: string): FieldError[] {
  if (policy === undefined) return [];
  const supported = podFailurePolicy === undefined ? ["Failed", "TerminatingOrFailed"] : ["Failed"];
  return supported.includes(policy) ? [] : [notSupported(field, policy, supported)];
}

/** The pods of a job must be able to end. */
function validateEnding({ template, podFailurePolicy }: JobSpec, field: string): FieldError[] {
  const restartPolicy = template?.spec?.restartPolicy ?? "";
  if (restartPolicy === "" || restartPolicy === "Always")
    return [required(field, 'valid values: "OnFailure", "Never"')];
  if (restartPolicy !== "OnFailure" && restartPolicy !== "Never") {
    return [notSupported(field, restartPolicy, ["OnFailure", "Never"])];
  }
  if (podFailurePolicy === undefined || restartPolicy === "Never") return [];
  return [invalid(field, restartPolicy, 'only "Never" is supported when podFailurePolicy is specified')];
}

const fixedFields = [
  "completionMode",
  "podFailurePolicy",
  "backoffLimitPerIndex",
  "managedBy",
  "successPolicy",
] as const;

export function validateJobUpdate(draft: Draft, old: KubeObject): FieldError[] {
  const spec = (draft as unknown as Job).spec as (JobSpec & Record<string, unknown>) | undefined;
  const before = (old as unknown as Job).spec as (JobSpec & Record<string, unknown>) | undefined;
  if (spec === undefined || before === undefined) return [required("spec.selector")];
  return [
    ...validateGenerated(spec, old.metadata),
    ...validateSelectedJob(spec),
    ...validateCompletionsUpdate(spec, before),
    ...validateImmutable(spec.selector, before.selector, "spec.selector"),
    ...validateTemplateUpdate(spec, before),
    ...fixedFields.flatMap((field) => validateImmutable(spec[field], before[field], `spec.${field}`)),
  ];
}

/** Indexed jobs can grow, as long as they do as many pods at once as they need in all. */
function validateCompletionsUpdate(spec: JobSpec, old: JobSpec): FieldError[] {
  const isElastic =
    spec.completionMode === "Indexed" && old.completions !== undefined && spec.completions !== undefined;
  if (isElastic && spec.completions === spec.parallelism) return [];
  return validateImmutable(spec.completions, old.completions, "spec.completions");
}

/** Where its pods go can be changed as long as it has not started. */
function validateTemplateUpdate(spec: JobSpec, old: JobSpec): FieldError[] {
  if (isSameValue(spec.template, old.template)) return [];
  const fixed = ({ template }: JobSpec): object => {
    const {
      nodeSelector: _n,
      tolerations: _t,
      affinity,
      schedulingGates: _g,
      ...rest
    } = template.spec ?? { containers: [] };
    return { ...rest, affinity: { ...affinity, nodeAffinity: undefined } };
  };
  if (old.suspend === true && isSameValue(fixed(spec), fixed(old))) return [];
  return [invalid("spec.template", spec.template, "field is immutable")];
}

export function validateCronJob(draft: Draft): FieldError[] {
  const { metadata, spec } = draft as unknown as CronJob;
  const name = metadata?.name ?? "";
  const errors = validateCronJobSpec(spec);
  return name.length > 52 ? [...errors, invalid("metadata.name", name, "must be no more than 52 characters")] : errors;
}

export function validateCronJobUpdate(draft: Draft): FieldError[] {
  return validateCronJobSpec((draft as unknown as CronJob).spec);
}

function validateCronJobSpec(spec: CronJob["spec"]): FieldError[] {
  const jobSpec = spec?.jobTemplate?.spec;
  return [
    ...(spec?.schedule ? validateSchedule(spec.schedule) : [required("spec.schedule")]),
    ...(spec?.timeZone === undefined ? [] : validateTimeZone(spec.timeZone)),
    ...checkNotNegative("spec.startingDeadlineSeconds", spec?.startingDeadlineSeconds),
    ...checkChoice("spec.concurrencyPolicy", spec?.concurrencyPolicy, ["Allow", "Forbid", "Replace"]),
    ...(jobSpec === undefined ? [] : validateTemplateOfJob(jobSpec)),
    ...checkNotNegative("spec.successfulJobsHistoryLimit", spec?.successfulJobsHistoryLimit),
    ...checkNotNegative("spec.failedJobsHistoryLimit", spec?.failedJobsHistoryLimit),
  ];
}

/** Each job gets its own selector when it is made. */
function validateTemplateOfJob(spec: JobSpec): FieldError[] {
  const errors = validateJobSpec(spec, "spec.jobTemplate.spec");
  if (spec.selector !== undefined) {
    errors.push(invalid("spec.jobTemplate.spec.selector", spec.selector, "`selector` will be auto-generated"));
  }
  if (spec.manualSelector === true) {
    errors.push(notSupported("spec.jobTemplate.spec.manualSelector", true, ["nil", "false"]));
  }
  return errors;
}

function validateSchedule(schedule: string): FieldError[] {
  const field = "spec.schedule";
  if (schedule.includes("TZ")) {
    return [invalid(field, schedule, "cannot use TZ or CRON_TZ in schedule, use timeZone field instead")];
  }
  if (/^@every .+$/.test(schedule)) return [];
  const parsed = parseCronSchedule(schedule);
  return "problem" in parsed ? [invalid(field, schedule, parsed.problem)] : [];
}

function validateTimeZone(zone: string): FieldError[] {
  const field = "spec.timeZone";
  if (zone === "") return [invalid(field, zone, "timeZone must be nil or non-empty string")];
  if (zone.toLowerCase() === "local") {
    const detail = "timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones";
    return [invalid(field, zone, detail)];
  }
  return isTimeZone(zone) ? [] : [invalid(field, zone, `unknown time zone ${zone}`)];
}

/** Offsets are no time zones to the server. */
function isTimeZone(zone: string): boolean {
  try {
    new Intl.DateTimeFormat("en", { timeZone: zone });
    return /^[A-Za-z]/.test(zone);
  } catch {
    return false;
  }
}
