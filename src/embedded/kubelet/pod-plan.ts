import type { Pod } from "kubernetes-types/core/v1.js";
import { controllerOf } from "../workloads/object-index.ts";
import type { Stored } from "../workloads/resource.ts";

const prefix = "embedded.karpenter.sh/";
/** Until the sandbox and the images of a pod are there. */
const creationMilliseconds = 1000;
const initMilliseconds = 1000;
const firstBackoff = 10_000;
const longestBackoff = 300_000;

/** How the containers of a pod behave, which nothing but the pod itself can say here. */
export interface PodPlan {
  readonly readyMilliseconds: number;
  /** How long a run lasts; undefined for ever. */
  readonly runMilliseconds: number | undefined;
  readonly exitCode: number;
  readonly terminationMilliseconds: number;
}

export function planOf(pod: Stored<Pod>): PodPlan {
  const { annotations = {} } = pod.metadata;
  const secondsIn = (name: string): number | undefined => {
    const value = Number(annotations[`${prefix}${name}`] ?? Number.NaN);
    return Number.isFinite(value) && value >= 0 ? value * 1000 : undefined;
  };
  const isJob = controllerOf(pod)?.kind === "Job";
  return {
    readyMilliseconds: secondsIn("ready-seconds") ?? 0,
    runMilliseconds: secondsIn("run-seconds") ?? (isJob ? 1000 : undefined),
    exitCode: Number(/^\d{1,3}$/.exec(annotations[`${prefix}exit-code`] ?? "")?.[0] ?? 0),
    terminationMilliseconds: secondsIn("termination-seconds") ?? 1000,
  };
}

export interface PastRun {
  readonly exitCode: number;
  readonly startedAt: number;
  readonly finishedAt: number;
}

/** Where a pod is in its life. */
export type PodStage =
  | { readonly kind: "creating" }
  | { readonly kind: "initializing"; readonly done: number }
  | { readonly kind: "running"; readonly isReady: boolean }
  | { readonly kind: "backing off"; readonly milliseconds: number }
  | { readonly kind: "finished"; readonly run: PastRun };

/** The life of one pod on its node, from when the kubelet set about it. */
export class PodLife {
  readonly #plan: PodPlan;
  readonly #isRestarted: boolean;
  readonly #beginAt: number;
  readonly #initContainers: number;
  #runAt: number;
  restarts = 0;
  lastRun: PastRun | undefined;

  constructor(pod: Stored<Pod>, beginAt: number) {
    const { restartPolicy, initContainers = [] } = pod.spec ?? {};
    this.#plan = planOf(pod);
    this.#isRestarted = restartPolicy === "Always" || (restartPolicy === "OnFailure" && this.#plan.exitCode !== 0);
    this.#initContainers = initContainers.length;
    this.#beginAt = beginAt;
    const running = pod.status?.containerStatuses?.find(({ state }) => state?.running !== undefined)?.state?.running;
    const startedAt = Date.parse(running?.startedAt ?? "");
    const firstRunAt = beginAt + creationMilliseconds + this.#initContainers * initMilliseconds;
    this.#runAt = Number.isNaN(startedAt) ? firstRunAt : startedAt;
    this.restarts = Math.max(0, ...(pod.status?.containerStatuses ?? []).map(({ restartCount }) => restartCount));
  }

  get runAt(): number {
    return this.#runAt;
  }

  /** Where the pod is now, and when it will be somewhere else. */
  at(now: number): { readonly stage: PodStage; readonly nextAt: number | undefined } {
    const ended = this.#endRuns(now);
    if (ended !== undefined) return { stage: { kind: "finished", run: ended }, nextAt: undefined };
    if (now < this.#runAt) return this.#beforeRun(now);
    const { readyMilliseconds, runMilliseconds } = this.#plan;
    const endAt = runMilliseconds === undefined ? undefined : this.#runAt + runMilliseconds;
    const readyAt = this.#runAt + readyMilliseconds;
    if (now >= readyAt) return { stage: { kind: "running", isReady: true }, nextAt: endAt };
    const nextAt = endAt === undefined ? readyAt : Math.min(endAt, readyAt);
    return { stage: { kind: "running", isReady: false }, nextAt };
  }

  #beforeRun(now: number): { stage: PodStage; nextAt: number } {
    if (this.lastRun !== undefined) {
      const milliseconds = this.#runAt - this.lastRun.finishedAt;
      return { stage: { kind: "backing off", milliseconds }, nextAt: this.#runAt };
    }
    const createdAt = this.#beginAt + creationMilliseconds;
    if (now < createdAt) return { stage: { kind: "creating" }, nextAt: createdAt };
    const done = Math.min(this.#initContainers, Math.floor((now - createdAt) / initMilliseconds));
    return { stage: { kind: "initializing", done }, nextAt: createdAt + (done + 1) * initMilliseconds };
  }

  /** The run that was the last, once it is over; after any other the next begins, later each time. */
  #endRuns(now: number): PastRun | undefined {
    const { runMilliseconds, exitCode } = this.#plan;
    if (runMilliseconds === undefined) return undefined;
    while (now >= this.#runAt + runMilliseconds) {
      const run = { exitCode, startedAt: this.#runAt, finishedAt: this.#runAt + runMilliseconds };
      if (!this.#isRestarted) return run;
      this.lastRun = run;
      this.#runAt = run.finishedAt + Math.min(firstBackoff * 2 ** this.restarts, longestBackoff);
      this.restarts++;
    }
    return undefined;
  }
}
