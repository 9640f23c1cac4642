import type { Job, JobCondition, JobStatus } from "kubernetes-types/batch/v1.js";
import type { Pod } from "kubernetes-types/core/v1.js";
import { labelSelectorMatch } from "../api/label-selector.ts";
import type { ControlLoop } from "../control-loop.ts";
import { isPodActive, isPodReady, isPodTerminating } from "../pod-state.ts";
import { keyOf } from "../storage/collection.ts";
import { timestamp } from "../timestamp.ts";
import { ClaimedObjects } from "./claim-objects.ts";
import { createPod, deletePod, type PodWork } from "./create-pod.ts";
import { enqueueControllers } from "./enqueue-controllers.ts";
import {
  formatIndexes,
  indexOf,
  isIndexed,
  jobPod,
  missingIndexes,
  parseIndexes,
  trackingFinalizer,
} from "./job-pods.ts";
import { failure, hasFailed, isOver, isSuccess, restartsOf, setCondition, type Verdict } from "./job-status.ts";
import { controllerOf, type ObjectIndex } from "./object-index.ts";
import { counted } from "./replica-set-controller.ts";
import { Resource, type Stored } from "./resource.ts";
import { controlLoop, type RunningPart, type WorkloadContext } from "./workload-context.ts";

const firstBackoff = 10_000;
const longestBackoff = 600_000;

/** What a job has come to, all pods counted. */
interface Tally {
  readonly succeeded: number;
  readonly failed: number;
  readonly done: ReadonlySet<number>;
}

/** Runs jobs until enough pods have succeeded or too many have failed. */
export class JobController implements RunningPart {
  readonly #context: WorkloadContext;
  readonly #jobs: Resource<Job>;
  readonly #pods: Resource<Pod>;
  readonly #podsByOwner: ObjectIndex<Pod>;
  readonly #claimed: ClaimedObjects<Pod>;
  readonly #work: PodWork;
  /** When each job may create pods again after failures, and how many in a row there were. */
  readonly #failures = new Map<string, { readonly count: number; readonly at: number }>();
  readonly #loop: ControlLoop;
  readonly #abandoned: ControlLoop;
  readonly #stops: (() => void)[];

  constructor(context: WorkloadContext, podsByOwner: ObjectIndex<Pod>) {
    this.#context = context;
    this.#jobs = new Resource<Job>(context.api, "batch", "jobs");
    this.#pods = new Resource<Pod>(context.api, "", "pods");
    this.#podsByOwner = podsByOwner;
    this.#claimed = new ClaimedObjects(this.#pods, podsByOwner);
    this.#work = { pods: this.#pods, recordEvent: context.recordEvent, source: "job-controller" };
    this.#loop = controlLoop(context, "job", (key) => this.#reconcile(key));
    this.#abandoned = controlLoop(context, "pod without job", (key) => this.#letGo(key));
    this.#stops = [
      enqueueControllers({
        dependents: this.#pods,
        controllers: this.#jobs,
        loop: this.#loop,
        onGone: (uid) => this.#abandon(uid),
      }),
      this.#pods.subscribe(({ object }) => {
        if (object.metadata.finalizers?.includes(trackingFinalizer) === true) this.#abandoned.enqueue(keyOf(object));
      }),
    ];
  }

  stop(): void {
    for (const stop of this.#stops) stop();
    this.#loop.stop();
    this.#abandoned.stop();
  }

  #abandon(uid: string): void {
    this.#claimed.forget(uid);
    this.#failures.delete(uid);
    for (const pod of this.#podsByOwner.get(uid)) this.#abandoned.enqueue(keyOf(pod));
  }

  /** Nobody counts the pods of a job that is gone or going. */
  #letGo(key: string): void {
    const pod = this.#pods.find(key);
    const owner = pod === undefined ? undefined : controllerOf(pod);
    if (pod === undefined || (owner !== undefined && owner.kind !== "Job")) return;
    const job = this.#jobs.find(`${pod.metadata.namespace}/${owner?.name}`);
    if (job?.metadata.uid === owner?.uid && job?.metadata.deletionTimestamp === undefined) return;
    this.#untrack(pod);
  }

  #untrack(pod: Stored<Pod>): void {
    if (pod.metadata.finalizers?.includes(trackingFinalizer) !== true || this.#pods.current(pod) === undefined) return;
    this.#pods.change(pod, (current) => {
      const finalizers = (current.metadata.finalizers ?? []).filter((name) => name !== trackingFinalizer);
      return { ...current, metadata: { ...current.metadata, finalizers } };
    });
  }

  #reconcile(key: string): void {
    const job = this.#jobs.find(key);
    if (job === undefined || job.metadata.deletionTimestamp !== undefined) return;
    if (isOver(job)) {
      this.#expire(job);
      return;
    }
    const pods = this.#claimed.claim(job, labelSelectorMatch(job.spec?.selector));
    const tally = this.#count(job, pods);
    const verdict = this.#judge(job, pods, tally);
    const active = pods.filter(isPodActive);
    const isSuspended = job.spec?.suspend === true;
    if (verdict !== undefined || isSuspended) for (const pod of active) deletePod(this.#work, job, pod);
    else this.#manage(job, pods, tally);
    this.#report(job, tally, verdict);
  }

  /** Counts the pods that have ended since the last time; only then may they go. */
  #count(job: Stored<Job>, pods: readonly Stored<Pod>[]): Tally {
    let { succeeded = 0, failed = 0 } = job.status ?? {};
    const done = parseIndexes(job.status?.completedIndexes);
    const { uid } = job.metadata;
    for (const pod of pods) {
      if (pod.metadata.finalizers?.includes(trackingFinalizer) !== true) continue;
      if (pod.status?.phase === "Succeeded") {
        if (isIndexed(job) && !done.has(indexOf(pod))) done.add(indexOf(pod));
        if (!isIndexed(job)) succeeded++;
        this.#failures.delete(uid);
      } else if (hasFailed(job, pod)) {
        failed++;
        const count = (this.#failures.get(uid)?.count ?? 0) + 1;
        this.#failures.set(uid, { count, at: this.#context.clock.now() });
      } else continue;
      this.#untrack(pod);
    }
    return { succeeded: isIndexed(job) ? done.size : succeeded, failed, done };
  }

  /** Whether the job is over, and how. */
  #judge(job: Stored<Job>, pods: readonly Stored<Pod>[], { succeeded, failed }: Tally): Verdict | undefined {
    const earlier = job.status?.conditions?.find(
      ({ type, status }) => (type === "FailureTarget" || type === "SuccessCriteriaMet") && status === "True",
    );
    if (earlier !== undefined) {
      return { type: earlier.type, status: "True", reason: earlier.reason ?? "", message: earlier.message ?? "" };
    }
    const active = pods.filter(isPodActive);
    const limit = job.spec?.backoffLimit ?? 6;
    const isOnFailure = job.spec?.template.spec?.restartPolicy === "OnFailure";
    const restarts = isOnFailure ? active.reduce((sum, pod) => sum + restartsOf(pod), 0) : 0;
    if (failed > limit || (isOnFailure && restarts > 0 && restarts >= limit)) {
      return failure("BackoffLimitExceeded", "Job has reached the specified backoff limit");
    }
    if (this.#isLate(job)) return failure("DeadlineExceeded", "Job was active longer than specified deadline");
    const { completions } = job.spec ?? {};
    const isComplete = completions === undefined ? succeeded > 0 && active.length === 0 : succeeded >= completions;
    if (!isComplete || job.spec?.suspend === true) return undefined;
    const message = "Reached expected number of succeeded pods";
    return { type: "SuccessCriteriaMet", status: "True", reason: "CompletionsReached", message };
  }

  #isLate(job: Stored<Job>): boolean {
    const { activeDeadlineSeconds } = job.spec ?? {};
    if (activeDeadlineSeconds === undefined || job.status?.startTime === undefined || job.spec?.suspend === true)
      return false;
    const wait = Date.parse(job.status.startTime) + activeDeadlineSeconds * 1000 - this.#context.clock.now();
    if (wait > 0) this.#loop.enqueue(keyOf(job), wait);
    return wait <= 0;
  }

  #manage(job: Stored<Job>, pods: readonly Stored<Pod>[], { succeeded, done }: Tally): void {
    const { parallelism = 1, completions } = job.spec ?? {};
    const active = pods.filter(isPodActive);
    const isOnlyAfterEnd = job.spec?.podReplacementPolicy === "Failed";
    const busy = active.length + (isOnlyAfterEnd ? pods.filter(isPodTerminating).length : 0);
    const left = completions === undefined ? (succeeded > 0 ? active.length : parallelism) : completions - succeeded;
    const wanted = Math.min(parallelism, left);
    for (const pod of active.slice(0, Math.max(0, active.length - wanted))) deletePod(this.#work, job, pod);
    const missing = wanted - busy;
    if (missing <= 0) return;
    const wait = this.#backoff(job);
    if (wait > 0) {
      this.#loop.enqueue(keyOf(job), wait);
      return;
    }
    if (!isIndexed(job)) for (let i = 0; i < missing; i++) createPod(this.#work, job, jobPod(job, undefined));
    else {
      for (const index of missingIndexes(job, pods, done).slice(0, missing))
        createPod(this.#work, job, jobPod(job, index));
    }
  }

  /** Milliseconds until pods may be created again. */
  #backoff({ metadata }: Stored<Job>): number {
    const failures = this.#failures.get(metadata.uid);
    if (failures === undefined) return 0;
    const delay = Math.min(firstBackoff * 2 ** (failures.count - 1), longestBackoff);
    return failures.at + delay - this.#context.clock.now();
  }

  #report(job: Stored<Job>, { succeeded, failed, done }: Tally, verdict: Verdict | undefined): void {
    const pods = this.#claimed.claim(job, labelSelectorMatch(job.spec?.selector));
    const active = pods.filter(isPodActive);
    const terminating = pods.filter(isPodTerminating).length;
    const now = timestamp(this.#context.clock.now());
    const isSuspended = job.spec?.suspend === true;
    const { startTime } = job.status ?? {};
    const status: JobStatus = {
      ...counted("active", active.length),
      ready: active.filter(isPodReady).length,
      ...counted("succeeded", succeeded),
      ...counted("failed", failed),
      uncountedTerminatedPods: {},
      ...(isIndexed(job) && done.size > 0 ? { completedIndexes: formatIndexes(done) } : {}),
      ...(isSuspended ? {} : { startTime: startTime ?? now }),
    };
    Object.assign(status, { terminating });
    const conditions = this.#conditions(job, now);
    const isFinal = verdict !== undefined && active.length === 0 && terminating === 0;
    if (verdict !== undefined) setCondition(conditions, verdict, now);
    if (isFinal) setCondition(conditions, { ...verdict, type: isSuccess(verdict) ? "Complete" : "Failed" }, now);
    if (isFinal && isSuccess(verdict)) status.completionTime = now;
    const hasConditions = conditions.length > 0;
    this.#jobs.writeStatus(this.#jobs.current(job) ?? job, hasConditions ? { ...status, conditions } : status);
    if (isFinal) this.#sayOver(job, verdict);
  }

  #sayOver(job: Stored<Job>, verdict: Verdict): void {
    if (isSuccess(verdict)) this.#say(job, "Normal", { reason: "Completed", message: "Job completed" });
    else this.#say(job, "Warning", verdict);
  }

  #conditions(job: Stored<Job>, now: string): JobCondition[] {
    const conditions = [...(job.status?.conditions ?? [])];
    const suspended = conditions.find(({ type }) => type === "Suspended");
    if (job.spec?.suspend === true && suspended?.status !== "True") {
      setCondition(
        conditions,
        { type: "Suspended", status: "True", reason: "JobSuspended", message: "Job suspended" },
        now,
      );
      this.#say(job, "Normal", { reason: "Suspended", message: "Job suspended" });
    } else if (job.spec?.suspend !== true && suspended?.status === "True") {
      setCondition(
        conditions,
        { type: "Suspended", status: "False", reason: "JobResumed", message: "Job resumed" },
        now,
      );
      this.#say(job, "Normal", { reason: "Resumed", message: "Job resumed" });
    }
    return conditions;
  }

  /** A job that is over goes after a while if it says so. */
  #expire(job: Stored<Job>): void {
    for (const pod of this.#podsByOwner.get(job.metadata.uid)) this.#untrack(pod);
    const seconds = job.spec?.ttlSecondsAfterFinished;
    const ending = job.status?.conditions?.find(({ type }) => type === "Complete" || type === "Failed");
    if (seconds === undefined || ending === undefined) return;
    const wait = Date.parse(ending.lastTransitionTime ?? "") + seconds * 1000 - this.#context.clock.now();
    if (wait > 0) this.#loop.enqueue(keyOf(job), wait);
    else this.#jobs.delete(job, { propagationPolicy: "Foreground" });
  }

  #say(about: Stored<Job>, type: "Normal" | "Warning", { reason, message }: { reason: string; message: string }): void {
    this.#context.recordEvent({ about, type, reason, message, source: this.#work.source });
  }
}
