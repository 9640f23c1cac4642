import type { ContainerState, ContainerStatus, Pod, PodCondition } from "kubernetes-types/core/v1.js";
import { ageOf } from "./human-duration.ts";

interface PodSummary {
  readonly ready: string;
  readonly status: string;
  readonly restarts: string;
}

/** A count of restarts and when the last one was. */
class Restarts {
  #count = 0;
  #last: string | undefined;

  add(status: ContainerStatus): void {
    this.#count += status.restartCount ?? 0;
    const finishedAt = status.lastState?.terminated?.finishedAt;
    if (finishedAt !== undefined && !(Date.parse(finishedAt) <= Date.parse(this.#last ?? ""))) this.#last = finishedAt;
  }

  describe(now: number): string {
    if (this.#count === 0 || this.#last === undefined) return String(this.#count);
    return `${this.#count} (${ageOf(this.#last, now)} ago)`;
  }
}

/** What `kubectl get pods` says about a pod, worked out by the server from the states of its containers. */
export function summarizePod(pod: Pod, now: number): PodSummary {
  const init = summarizeInit(pod);
  let { restarts, status } = init;
  let ready = init.ready;
  if (init.status === undefined || conditionStatus(pod, "Initialized") === "True") {
    const main = summarizeContainers(pod, init.sidecarRestarts);
    restarts = main.restarts;
    ready += main.ready;
    status = main.status ?? status;
  }
  const sidecars = (pod.spec?.initContainers ?? []).filter(isSidecar).length;
  return {
    ready: `${ready}/${(pod.spec?.containers ?? []).length + sidecars}`,
    status: deletionStatus(pod) ?? status ?? restingStatus(pod),
    restarts: restarts.describe(now),
  };
}

function restingStatus({ status }: Pod): string {
  const isGated = (status?.conditions ?? []).some(
    ({ type, reason }) => type === "PodScheduled" && reason === "SchedulingGated",
  );
  return isGated ? "SchedulingGated" : status?.reason || (status?.phase ?? "");
}

function deletionStatus({ metadata, status }: Pod): string | undefined {
  if (metadata?.deletionTimestamp === undefined) return undefined;
  if (status?.reason === "NodeLost") return "Unknown";
  return status?.phase === "Succeeded" || status?.phase === "Failed" ? undefined : "Terminating";
}

interface InitSummary {
  readonly restarts: Restarts;
  readonly sidecarRestarts: Restarts;
  readonly ready: number;
  /** Absent once no init container stands in the way any more. */
  readonly status: string | undefined;
}

function summarizeInit(pod: Pod): InitSummary {
  const containers = pod.spec?.initContainers ?? [];
  const sidecars = new Set(containers.filter(isSidecar).map(({ name }) => name));
  const restarts = new Restarts();
  const sidecarRestarts = new Restarts();
  let ready = 0;
  for (const [index, status] of (pod.status?.initContainerStatuses ?? []).entries()) {
    restarts.add(status);
    const isStarted = sidecars.has(status.name) && status.started === true;
    if (sidecars.has(status.name)) sidecarRestarts.add(status);
    if (status.state?.terminated?.exitCode === 0) continue;
    if (!isStarted) {
      const word = initStatus(status.state) ?? `Init:${index}/${containers.length}`;
      return { restarts, sidecarRestarts, ready, status: word };
    }
    if (status.ready) ready++;
  }
  return { restarts, sidecarRestarts, ready, status: undefined };
}

function initStatus(state: ContainerState | undefined): string | undefined {
  if (state?.terminated !== undefined) return `Init:${terminationReason(state.terminated)}`;
  const reason = state?.waiting?.reason ?? "";
  return reason === "" || reason === "PodInitializing" ? undefined : `Init:${reason}`;
}

function summarizeContainers(
  pod: Pod,
  restarts: Restarts,
): { restarts: Restarts; ready: number; status: string | undefined } {
  let status: string | undefined;
  let failure: string | undefined;
  let ready = 0;
  for (const container of (pod.status?.containerStatuses ?? []).toReversed()) {
    restarts.add(container);
    const { waiting, terminated, running } = container.state ?? {};
    if (waiting?.reason) status = waiting.reason;
    else if (terminated !== undefined) {
      status = terminationReason(terminated);
      if (terminated.exitCode !== 0) failure = status;
    } else if (container.ready && running !== undefined) ready++;
  }
  if ((status ?? restingStatus(pod)) === "Completed") {
    if (ready > 0 && conditionStatus(pod, "Ready") === "True") status = "Running";
    else if (failure !== undefined) status = failure;
    else if (ready > 0) status = "NotReady";
  }
  return { restarts, ready, status };
}

function terminationReason({
  reason,
  signal,
  exitCode,
}: {
  reason?: string;
  signal?: number;
  exitCode: number;
}): string {
  if (reason) return reason;
  return signal ? `Signal:${signal}` : `ExitCode:${exitCode ?? 0}`;
}

function isSidecar(container: { restartPolicy?: string }): boolean {
  return container.restartPolicy === "Always";
}

function conditionStatus(pod: Pod, type: string): string | undefined {
  return pod.status?.conditions?.find((condition: PodCondition) => condition.type === type)?.status;
}

/** How many of the pod's own readiness gates are open. */
export function readinessGates(pod: Pod): string {
  const gates = pod.spec?.readinessGates ?? [];
  if (gates.length === 0) return "<none>";
  const open = gates.filter(({ conditionType }) => conditionStatus(pod, conditionType) === "True");
  return `${open.length}/${gates.length}`;
}
