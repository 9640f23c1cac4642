import type { CronJob, Job } from "kubernetes-types/batch/v1.js";
import { nextTime } from "../../core/model/cron-schedule.ts";
import { parseCronSchedule } from "../../core/model/parse-cron-schedule.ts";
import { ApiError } from "../api/api-error.ts";
import type { ControlLoop } from "../control-loop.ts";
import { keyOf } from "../storage/collection.ts";
import { timestamp } from "../timestamp.ts";
import { controllerReference } from "./claim-objects.ts";
import { isOver } from "./job-status.ts";
import { controllerOf, ObjectIndex, ownerGroup } from "./object-index.ts";
import { Resource, type Stored } from "./resource.ts";
import { controlLoop, type RunningPart, type WorkloadContext } from "./workload-context.ts";

const source = "cronjob-controller";

/** Longer than the longest pause of a yearly schedule. */
const longestLookBack = 400 * 24 * 3_600_000;

/** Starts jobs by the clock. */
export class CronJobController implements RunningPart {
  readonly #context: WorkloadContext;
  readonly #cronJobs: Resource<CronJob>;
  readonly #jobs: Resource<Job>;
  readonly #jobsByOwner: ObjectIndex<Job>;
  readonly #loop: ControlLoop;
  readonly #stops: (() => void)[];

  constructor(context: WorkloadContext) {
    this.#context = context;
    this.#cronJobs = new Resource<CronJob>(context.api, "batch", "cronjobs");
    this.#jobs = new Resource<Job>(context.api, "batch", "jobs");
    this.#jobsByOwner = new ObjectIndex(this.#jobs, ownerGroup);
    this.#loop = controlLoop(context, "cron job", (key) => this.#reconcile(key));
    this.#stops = [
      () => this.#jobsByOwner.stop(),
      this.#cronJobs.subscribe(({ object }) => this.#loop.enqueue(keyOf(object))),
      this.#jobs.subscribe(({ object }) => {
        const owner = controllerOf(object);
        if (owner?.kind === "CronJob") this.#loop.enqueue(`${object.metadata.namespace}/${owner.name}`);
      }),
    ];
    for (const cronJob of this.#cronJobs.list()) this.#loop.enqueue(keyOf(cronJob));
  }

  stop(): void {
    for (const stop of this.#stops) stop();
    this.#loop.stop();
  }

  #reconcile(key: string): void {
    const cronJob = this.#cronJobs.find(key);
    if (cronJob === undefined || cronJob.metadata.deletionTimestamp !== undefined) return;
    const jobs = this.#jobsByOwner.get(cronJob.metadata.uid);
    this.#noteActive(cronJob, jobs);
    this.#cleanUp(cronJob, jobs);
    if (cronJob.spec?.suspend !== true) this.#startDue(this.#cronJobs.current(cronJob) ?? cronJob, jobs);
  }

  #noteActive(cronJob: Stored<CronJob>, jobs: readonly Stored<Job>[]): void {
    const active = jobs
      .filter((job) => !isOver(job))
      .map(({ apiVersion, kind, metadata }) => {
        const { name, namespace, uid, resourceVersion } = metadata;
        const known = cronJob.status?.active?.find((reference) => reference.uid === uid);
        return known ?? { apiVersion, kind, name, namespace, uid, resourceVersion };
      });
    for (const { uid, name } of cronJob.status?.active ?? []) {
      const job = jobs.find(({ metadata }) => metadata.uid === uid);
      if (job !== undefined && isOver(job)) {
        const condition = job.status?.conditions?.find(({ type }) => type === "Complete" || type === "Failed");
        this.#say(cronJob, "SawCompletedJob", `Saw completed job: ${name}, condition: ${condition?.type}`);
      }
    }
    const ends = jobs
      .map(({ status }) => status?.completionTime)
      .filter((time) => time !== undefined)
      .sort();
    const last = ends.at(-1) ?? cronJob.status?.lastSuccessfulTime;
    const { active: _, lastSuccessfulTime: __, ...rest } = cronJob.status ?? {};
    this.#cronJobs.writeStatus(cronJob, {
      ...rest,
      ...(active.length === 0 ? {} : { active }),
      ...(last === undefined ? {} : { lastSuccessfulTime: last }),
    });
  }

  #cleanUp(cronJob: Stored<CronJob>, jobs: readonly Stored<Job>[]): void {
    const { successfulJobsHistoryLimit = 3, failedJobsHistoryLimit = 1 } = cronJob.spec ?? {};
    const ended = (type: string) =>
      jobs
        .filter(({ status }) =>
          status?.conditions?.some((condition) => condition.type === type && condition.status === "True"),
        )
        .sort((a, b) => ((a.status?.startTime ?? "") < (b.status?.startTime ?? "") ? -1 : 1));
    const surplus = (all: Stored<Job>[], limit: number) => all.slice(0, Math.max(0, all.length - limit));
    const old = [
      ...surplus(ended("Complete"), successfulJobsHistoryLimit),
      ...surplus(ended("Failed"), failedJobsHistoryLimit),
    ];
    for (const job of old) this.#delete(cronJob, job);
  }

  #startDue(cronJob: Stored<CronJob>, jobs: readonly Stored<Job>[]): void {
    const schedule = parseCronSchedule(cronJob.spec?.schedule ?? "");
    if ("problem" in schedule) {
      this.#say(cronJob, "UnparseableSchedule", `unparseable schedule: ${cronJob.spec?.schedule}`);
      return;
    }
    const now = this.#context.clock.now();
    const last = Date.parse(cronJob.status?.lastScheduleTime ?? cronJob.metadata.creationTimestamp);
    // Who was away for long makes up for the last time only, so nobody counts the times before that.
    const since = Math.max(last, now - longestLookBack);
    let due: number | undefined;
    let next = nextTime(schedule, since);
    while (next !== undefined && next <= now) {
      due = next;
      next = nextTime(schedule, next);
    }
    if (next !== undefined) this.#loop.enqueue(keyOf(cronJob), next - now);
    if (due !== undefined)
      this.#start(
        cronJob,
        due,
        jobs.filter((job) => !isOver(job)),
      );
  }

  #start(cronJob: Stored<CronJob>, due: number, active: readonly Stored<Job>[]): void {
    const { startingDeadlineSeconds, concurrencyPolicy = "Allow" } = cronJob.spec ?? {};
    const now = this.#context.clock.now();
    if (startingDeadlineSeconds !== undefined && due + startingDeadlineSeconds * 1000 < now) {
      this.#say(cronJob, "MissSchedule", `Missed scheduled time to start a job: ${new Date(due).toUTCString()}`);
      return;
    }
    if (concurrencyPolicy === "Forbid" && active.length > 0) {
      this.#say(
        cronJob,
        "JobAlreadyActive",
        "Not starting job because prior execution is running and concurrency policy is Forbid",
      );
      return;
    }
    if (concurrencyPolicy === "Replace") for (const job of active) this.#delete(cronJob, job);
    this.#create(cronJob, due);
    this.#cronJobs.changeStatus(cronJob, (current) => ({
      ...current,
      status: { ...current.status, lastScheduleTime: timestamp(due) },
    }));
  }

  #create(cronJob: Stored<CronJob>, due: number): void {
    const { metadata = {}, spec } = cronJob.spec?.jobTemplate ?? {};
    const name = `${cronJob.metadata.name}-${Math.floor(due / 60_000)}`;
    const annotations = { ...metadata.annotations, "batch.kubernetes.io/cronjob-scheduled-timestamp": timestamp(due) };
    const ownerReferences = [controllerReference(cronJob)];
    const labels = metadata.labels === undefined ? {} : { labels: metadata.labels };
    try {
      this.#jobs.create(
        {
          apiVersion: "batch/v1",
          kind: "Job",
          metadata: { name, ...labels, annotations, ownerReferences },
          ...(spec === undefined ? {} : { spec }),
        },
        cronJob.metadata.namespace,
      );
      this.#say(cronJob, "SuccessfulCreate", `Created job ${name}`);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      if (error.reason !== "AlreadyExists") this.#say(cronJob, "FailedCreate", `Error creating job: ${error.message}`);
    }
  }

  #delete(cronJob: Stored<CronJob>, job: Stored<Job>): void {
    this.#jobs.delete(job, { propagationPolicy: "Background" });
    this.#say(cronJob, "SuccessfulDelete", `Deleted job ${job.metadata.name}`);
  }

  #say(about: Stored<CronJob>, reason: string, message: string): void {
    const isGood = reason.startsWith("Success") || reason === "SawCompletedJob" || reason === "JobAlreadyActive";
    this.#context.recordEvent({ about, type: isGood ? "Normal" : "Warning", reason, message, source });
  }
}
