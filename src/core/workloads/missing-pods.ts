import type { Pod } from "../model/pod.ts";
import { isActive, isFinished } from "../model/pod-lifecycle.ts";
import type { OrdinalDemand, TaskDemand, Workload } from "../model/workload.ts";

/**
 * The pods that kube-controller-manager would create now, each by what tells it from the others of its workload: the
 * ordinal in a StatefulSet, a running number elsewhere. No more than `limit`: a workload may ask for billions.
 */
export function missingPods({ demand, isDeleting }: Workload, pods: readonly Pod[], limit = 5_000): readonly number[] {
  if (isDeleting) return [];
  switch (demand.kind) {
    case "none":
      return [];
    case "replicas":
      return firstNumbers(Math.min(limit, demand.replicas - pods.filter(isActive).length));
    case "ordinals":
      return missingOrdinals(demand, pods, limit);
    case "tasks":
      return firstNumbers(Math.min(limit, missingTasks(demand, pods)));
  }
}

function firstNumbers(count: number): readonly number[] {
  const numbers: number[] = [];
  // Many times as fast as Array.from, of thousands of numbers at every look.
  for (let number = 0; number < count; number++) numbers.push(number);
  return numbers;
}

/** A pod that terminates still has its ordinal: the next one of that name is created when it has gone. */
function missingOrdinals(demand: OrdinalDemand, pods: readonly Pod[], limit: number): readonly number[] {
  const { replicas, start, isParallel, available } = demand;
  const byOrdinal = new Map(pods.map((pod) => [ordinalOf(pod), pod]));
  const missing: number[] = [];
  for (let ordinal = start; ordinal < start + replicas && missing.length < limit; ordinal++) {
    const pod = byOrdinal.get(ordinal);
    const isItsTurn = isParallel || ordinal - start <= available;
    if (pod === undefined && isItsTurn) missing.push(ordinal);
    // With OrderedReady, the controller waits for every pod before it creates the next one.
    if (!isParallel && (pod?.readyAt === undefined || !isActive(pod))) break;
  }
  // Pods beyond its last ordinal exist until they are deleted.
  return missing.slice(0, Math.max(0, replicas - pods.filter(isActive).length));
}

/** Whether the next pod of that name is created when this pod of a StatefulSet has terminated. */
export function isReplaced(pod: Pod, { demand, isDeleting }: Workload): boolean {
  if (demand.kind !== "ordinals") return true;
  const ordinal = ordinalOf(pod);
  return !isDeleting && ordinal >= demand.start && ordinal < demand.start + demand.replicas;
}

export function ordinalOf({ name }: Pod): number {
  const digits = name.slice(name.lastIndexOf("-") + 1);
  return /^\d+$/.test(digits) ? Number(digits) : Number.NaN;
}

/** As the Job controller counts in `manageJob`. */
function missingTasks(demand: TaskDemand, pods: readonly Pod[]): number {
  const { completions, parallelism, failedIndexes, hasBackoffPerIndex, waitsForTerminating } = demand;
  const isUncounted = (pod: Pod): boolean => pod.isUncounted && !demand.counted.has(pod.uid);
  const terminating = pods.filter((pod) => pod.isDeleting && !isFinished(pod));
  // The controller has not dealt with these yet. Unless the Job waits for their end, terminating pods are failures to it.
  const failures = [...pods.filter(isFailed), ...(waitsForTerminating ? [] : terminating)].filter(isUncounted).length;
  if (demand.failed + failures > demand.backoffLimit) return 0;
  if (!hasBackoffPerIndex && waitsAfterFailure(pods)) return 0;
  // Status and pods come by two watches, and the pods of long ago may be gone; whichever is ahead has counted more.
  const ended = pods.filter(({ phase }) => phase === "Succeeded");
  const succeeded = Math.max(ended.length, demand.succeeded + ended.filter(isUncounted).length);
  if (completions === undefined && succeeded > 0) return 0;
  const left = completions === undefined ? parallelism : completions - succeeded - failedIndexes;
  const replacedLater = (waitsForTerminating ? terminating.length : 0) + (hasBackoffPerIndex ? failures : 0);
  return Math.min(left, parallelism) - pods.filter(isActive).length - replacedLater;
}

/**
 * After a failure the controller waits, ten seconds and more, before it creates any other pod. That it waits after an
 * eviction, too, is left out: until then, the new pod keeps the place of the old one.
 */
function waitsAfterFailure(pods: readonly Pod[]): boolean {
  const lastFailure = newest(pods.filter((pod) => isFailed(pod) && !pod.isDeleting));
  return lastFailure >= 0 && lastFailure >= newest(pods.filter(({ phase }) => phase === "Succeeded"));
}

function newest(pods: readonly Pod[]): number {
  return pods.reduce((latest, { createdAt }) => Math.max(latest, createdAt), -1);
}

function isFailed({ phase }: Pod): boolean {
  return phase === "Failed";
}
