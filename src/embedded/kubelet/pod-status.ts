import type {
  Container,
  ContainerState,
  ContainerStatus,
  Pod,
  PodCondition,
  PodStatus,
} from "kubernetes-types/core/v1.js";
import { timestamp } from "../timestamp.ts";
import type { Stored } from "../workloads/resource.ts";
import type { PastRun, PodLife, PodStage } from "./pod-plan.ts";

export interface PodPlace {
  readonly hostIp: string;
  readonly podIp: string;
  readonly now: number;
}

/** What the kubelet says about a pod in that stage. */
export function statusIn(pod: Stored<Pod>, stage: PodStage, at: PodPlace & { readonly life: PodLife }): PodStatus {
  const { hostIp, podIp, now, life } = at;
  const hasSandbox = stage.kind !== "creating";
  const containers = pod.spec?.containers ?? [];
  const initContainers = pod.spec?.initContainers ?? [];
  const isReady = stage.kind === "running" && stage.isReady;
  const phase = phaseIn(stage);
  const { containerStatuses: _, initContainerStatuses: __, conditions: ___, ...kept } = pod.status ?? {};
  const addresses = hasSandbox ? { podIP: podIp, podIPs: [{ ip: podIp }] } : {};
  const status: PodStatus = {
    ...kept,
    phase,
    startTime: pod.status?.startTime ?? timestamp(now),
    hostIP: hostIp,
    hostIPs: [{ ip: hostIp }],
    ...addresses,
    conditions: conditionsIn(pod, stage, now),
    containerStatuses: containers.map((container) => ({
      ...describe(pod, container, { restartCount: life.restarts, hasStarted: isInitialized(stage) }),
      ready: isReady,
      started: stage.kind === "running",
      state: stateIn(pod, stage, { container, life }),
      lastState: life.lastRun === undefined ? {} : { terminated: terminatedState(pod, life.lastRun) },
    })),
    ...(initContainers.length === 0 ? {} : { initContainerStatuses: initStatuses(pod, stage, life) }),
  };
  return Object.assign(status, { observedGeneration: pod.metadata.generation ?? 1 });
}

/** Whether the containers have been started. */
function isInitialized({ kind }: PodStage): boolean {
  return kind === "running" || kind === "backing off" || kind === "finished";
}

function phaseIn(stage: PodStage): string {
  switch (stage.kind) {
    case "creating":
    case "initializing":
      return "Pending";
    case "running":
    case "backing off":
      return "Running";
    case "finished":
      return stage.run.exitCode === 0 ? "Succeeded" : "Failed";
  }
}

function describe(
  pod: Stored<Pod>,
  { name, image = "" }: Container,
  { restartCount, hasStarted }: { restartCount: number; hasStarted: boolean },
) {
  const ids = hasStarted ? { imageID: image, containerID: idOf(pod, name) } : { imageID: "" };
  return { name, image, restartCount, ...ids };
}

function idOf({ metadata }: Stored<Pod>, container: string): string {
  return `containerd://${metadata.uid.replaceAll("-", "")}-${container}`;
}

function stateIn(
  pod: Stored<Pod>,
  stage: PodStage,
  { container, life }: { container: Container; life: PodLife },
): ContainerState {
  switch (stage.kind) {
    case "creating":
    case "initializing": {
      const hasInit = (pod.spec?.initContainers ?? []).length > 0;
      return { waiting: { reason: hasInit ? "PodInitializing" : "ContainerCreating" } };
    }
    case "running":
      return { running: { startedAt: timestamp(life.runAt) } };
    case "backing off": {
      const { name, namespace, uid } = pod.metadata;
      const wait = durationText(stage.milliseconds / 1000);
      const message = `back-off ${wait} restarting failed container=${container.name} pod=${name}_${namespace}(${uid})`;
      return { waiting: { reason: "CrashLoopBackOff", message } };
    }
    case "finished":
      return { terminated: terminatedState(pod, stage.run) };
  }
}

function durationText(seconds: number): string {
  const minutes = Math.floor(seconds / 60);
  return minutes === 0 ? `${seconds}s` : `${minutes}m${seconds % 60}s`;
}

function terminatedState({ metadata }: Stored<Pod>, { exitCode, startedAt, finishedAt }: PastRun) {
  return {
    exitCode,
    reason: exitCode === 0 ? "Completed" : "Error",
    startedAt: timestamp(startedAt),
    finishedAt: timestamp(finishedAt),
    containerID: `containerd://${metadata.uid.replaceAll("-", "")}`,
  };
}

function initStatuses(pod: Stored<Pod>, stage: PodStage, life: PodLife): ContainerStatus[] {
  const initContainers = pod.spec?.initContainers ?? [];
  const done = stage.kind === "creating" ? -1 : stage.kind === "initializing" ? stage.done : Number.POSITIVE_INFINITY;
  return initContainers.map((container, i) => {
    const isSidecar = container.restartPolicy === "Always";
    const isOver = i < done;
    const startedAt = timestamp(life.runAt - (initContainers.length - i) * 1000);
    const state: ContainerState =
      isOver && !isSidecar
        ? {
            terminated: {
              exitCode: 0,
              reason: "Completed",
              startedAt,
              finishedAt: timestamp(life.runAt - (initContainers.length - i - 1) * 1000),
            },
          }
        : isOver || i === done
          ? { running: { startedAt } }
          : { waiting: { reason: "PodInitializing" } };
    const described = describe(pod, container, { restartCount: 0, hasStarted: isOver || i === done });
    return { ...described, ready: isOver, started: isSidecar && isOver, state, lastState: {} };
  });
}

function conditionsIn(pod: Stored<Pod>, stage: PodStage, now: number): PodCondition[] {
  const names = (pod.spec?.containers ?? []).map(({ name }) => name).join(" ");
  const waitingInits = (pod.spec?.initContainers ?? [])
    .slice(stage.kind === "initializing" ? stage.done : 0)
    .map(({ name }) => name);
  const initialized: Verdict =
    isInitialized(stage) || waitingInits.length === 0
      ? { status: "True", ...(stage.kind === "finished" && stage.run.exitCode === 0 ? { reason: "PodCompleted" } : {}) }
      : {
          status: "False",
          reason: "ContainersNotInitialized",
          message: `containers with incomplete status: [${waitingInits.join(" ")}]`,
        };
  const ready: Verdict =
    stage.kind === "running" && stage.isReady
      ? { status: "True" }
      : stage.kind === "finished"
        ? { status: "False", reason: stage.run.exitCode === 0 ? "PodCompleted" : "PodFailed" }
        : { status: "False", reason: "ContainersNotReady", message: `containers with unready status: [${names}]` };
  const hasSandbox = stage.kind !== "creating" && stage.kind !== "finished";
  return withConditions(
    pod.status?.conditions ?? [],
    [
      ["PodReadyToStartContainers", { status: hasSandbox ? "True" : "False" }],
      ["Initialized", initialized],
      ["Ready", gatedReady(pod, ready)],
      ["ContainersReady", ready],
      ["PodScheduled", { status: "True" }],
    ],
    now,
  );
}

interface Verdict {
  readonly status: string;
  readonly reason?: string;
  readonly message?: string;
}

/** A pod with readiness gates is ready when each of them has been set from outside, too. */
function gatedReady(pod: Pod, ready: Verdict): Verdict {
  if (ready.status !== "True") return ready;
  const closed = (pod.spec?.readinessGates ?? []).filter(
    ({ conditionType }) =>
      !pod.status?.conditions?.some(({ type, status }) => type === conditionType && status === "True"),
  );
  if (closed.length === 0) return ready;
  const message = closed
    .map(({ conditionType }) => `corresponding condition of pod readiness gate "${conditionType}" does not exist.`)
    .join(", ");
  return { status: "False", reason: "ReadinessGatesNotReady", message };
}

/** The conditions that are the kubelet's own in its order, and whatever else is there. */
function withConditions(
  before: readonly PodCondition[],
  own: readonly (readonly [type: string, verdict: Verdict])[],
  now: number,
): PodCondition[] {
  const ownTypes = new Set(own.map(([type]) => type));
  const conditions = own.map(([type, verdict]) => {
    const old = before.find((condition) => condition.type === type);
    const lastTransitionTime = old?.status === verdict.status ? old.lastTransitionTime : timestamp(now);
    const condition = { type, ...verdict, lastProbeTime: null, lastTransitionTime };
    return condition as unknown as PodCondition;
  });
  return [...conditions, ...before.filter(({ type }) => !ownTypes.has(type))];
}
