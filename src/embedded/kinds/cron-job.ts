import type { CronJob } from "kubernetes-types/batch/v1.js";
import type { Draft } from "../kube-object.ts";
import { ageColumn, booleanColumn, cellOf, integerColumn, nameColumn, textColumn, wideColumn } from "./columns.ts";
import { defineResource } from "./define-resource.ts";
import { ageOf } from "./human-duration.ts";
import { formatSelector } from "./label-text.ts";
import { setPodTemplateDefaults } from "./pod-spec-defaults.ts";
import { warnAboutTemplate } from "./pod-warnings.ts";
import type { ResourceDefinition } from "./resource-definition.ts";
import { validateCronJob, validateCronJobUpdate } from "./validation/validate-job.ts";
import { containerImages, containerNames } from "./workload-columns.ts";

export const cronJobResource: ResourceDefinition = defineResource({
  group: "batch",
  kind: "CronJob",
  plural: "cronjobs",
  shortNames: ["cj"],
  categories: ["all"],
  hasStatus: true,
  hasGeneration: true,
  columns: [
    nameColumn,
    textColumn(
      "Schedule",
      "When jobs start, as in cron.",
      cellOf(({ spec }: CronJob) => spec?.schedule ?? ""),
    ),
    textColumn(
      "Timezone",
      "Time zone of the schedule.",
      cellOf(({ spec }: CronJob) => spec?.timeZone ?? "<none>"),
    ),
    booleanColumn(
      "Suspend",
      "Whether new jobs are held back.",
      cellOf(({ spec }: CronJob) => suspendWord(spec?.suspend)),
    ),
    integerColumn(
      "Active",
      "Jobs that run.",
      cellOf(({ status }: CronJob) => status?.active?.length ?? 0),
    ),
    textColumn(
      "Last Schedule",
      "Time since the last job started.",
      cellOf(({ status }: CronJob, now) =>
        status?.lastScheduleTime === undefined ? "<none>" : ageOf(status.lastScheduleTime, now),
      ),
    ),
    ageColumn,
    wideColumn(
      "Containers",
      "Names of the containers.",
      cellOf((cronJob: CronJob) => containerNames(containersOf(cronJob))),
    ),
    wideColumn(
      "Images",
      "Images of the containers.",
      cellOf((cronJob: CronJob) => containerImages(containersOf(cronJob))),
    ),
    wideColumn(
      "Selector",
      "Which pods belong to its jobs.",
      cellOf(({ spec }: CronJob) => formatSelector(spec?.jobTemplate?.spec?.selector)),
    ),
  ],
  setDefaults,
  prepareCreate: (draft) => {
    draft.status = {};
  },
  warn: (draft) => {
    const { spec } = draft as unknown as CronJob;
    return warnAboutTemplate(spec?.jobTemplate?.spec?.template, "spec.jobTemplate.spec.template");
  },
  validate: validateCronJob,
  validateUpdate: validateCronJobUpdate,
});

function suspendWord(isSuspended: boolean | undefined): string {
  if (isSuspended === undefined) return "<unset>";
  return isSuspended ? "True" : "False";
}

function containersOf({ spec }: CronJob) {
  return spec?.jobTemplate?.spec?.template?.spec?.containers ?? [];
}

function setDefaults(draft: Draft): void {
  draft.spec ??= {};
  const spec = (draft as unknown as { spec: NonNullable<CronJob["spec"]> }).spec;
  spec.jobTemplate ??= {};
  spec.jobTemplate.metadata ??= {};
  spec.jobTemplate.spec ??= { template: {} };
  spec.jobTemplate.spec.template ??= {};
  setPodTemplateDefaults(spec.jobTemplate.spec.template);
  spec.concurrencyPolicy ||= "Allow";
  spec.suspend ??= false;
  spec.successfulJobsHistoryLimit ??= 3;
  spec.failedJobsHistoryLimit ??= 1;
}
