import type { ClaimHistory, NodeHistory, PodHistory } from "./race-record.ts";
import { startOfSecondWave } from "./second-wave.ts";

/** What became of one attempt of one controller. Seconds count from the first Deployment that was created. */
export interface Measures {
  readonly isDone: boolean;
  /** Until all pods were Running. */
  readonly seconds: number;
  readonly lastPodSeconds: number;
  /** When the slowest machine would have been Ready had it been ordered at the start. */
  readonly machineSeconds: number;
  /**
   * No controller can be earlier: the later of `lastPodSeconds` and `machineSeconds`.
   */
  readonly floorSeconds: number;
  /** From the creation of a pod until it is bound. */
  readonly meanPendingSeconds: number;
  readonly p95PendingSeconds: number;
  /** NodeClaims, those whose nodes have not joined yet included. */
  readonly nodes: number;
  readonly pricePerHour: number;
  /** For all machines from their orders on, until all pods ran and nothing more came or went. */
  readonly dollars: number;
  /** Pods on nodes of the second wave; `startOfSecondWave` says what that is. */
  readonly secondWavePods: number;
  /** Pods that were bound to a node long before it was Ready. There must be none, or nodes were no hurdle. */
  readonly podsBeforeReady: number;
}

export interface Histories {
  readonly pods: readonly PodHistory[];
  readonly nodes: readonly NodeHistory[];
  readonly claims: readonly ClaimHistory[];
}

export interface MeasureOptions {
  readonly podCount: number;
  readonly bootSeconds: number;
  /** When all pods were Running; undefined when they never were. */
  readonly runningAt: number | undefined;
  readonly restAt: number;
}

/** Pods and nodes come from different watches. */
const watchSkewSeconds = 1;

export function measure({ pods, nodes, claims }: Histories, options: MeasureOptions): Measures {
  const { podCount, bootSeconds, runningAt, restAt } = options;
  const created = pods.map(({ createdAt }) => createdAt).toSorted((a, b) => a - b);
  // Later ones replace pods that were evicted.
  const lastPodSeconds = created[podCount - 1] ?? created.at(-1) ?? Number.NaN;
  const machineSeconds =
    bootSeconds + Math.max(0, ...nodes.map(({ joinedAt, readyAt = restAt }) => readyAt - joinedAt));
  const present = pods.filter(({ deletedAt }) => deletedAt === undefined);
  const pending = present.map(({ createdAt, scheduledAt = restAt }) => scheduledAt - createdAt);
  const left = claims.filter(({ deletedAt }) => deletedAt === undefined);
  return {
    isDone: runningAt !== undefined,
    seconds: runningAt ?? restAt,
    lastPodSeconds,
    machineSeconds,
    floorSeconds: Math.max(lastPodSeconds, machineSeconds),
    meanPendingSeconds: sum(pending) / pending.length,
    p95PendingSeconds: percentile(pending, 0.95),
    nodes: left.length,
    pricePerHour: sum(left.map(({ pricePerHour = Number.NaN }) => pricePerHour)),
    dollars: sum(
      claims.map(
        ({ createdAt, deletedAt = restAt, pricePerHour = 0 }) => (pricePerHour * (deletedAt - createdAt)) / 3600,
      ),
    ),
    secondWavePods: countSecondWavePods({ pods: present, nodes, claims }, lastPodSeconds),
    podsBeforeReady: countPodsBeforeReady(present, nodes),
  };
}

/** The least number that so large a share of all are not above; NaN when there are none. */
export function percentile(numbers: readonly number[], share: number): number {
  const sorted = numbers.toSorted((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? Number.NaN;
}

function countSecondWavePods({ pods, nodes, claims }: Histories, lastPodCreatedAt: number): number {
  const start = startOfSecondWave({
    claimsCreatedAt: claims.map(({ createdAt }) => createdAt),
    lastPodCreatedAt,
    firstNodeReadyAt: Math.min(...nodes.map(({ readyAt = Number.POSITIVE_INFINITY }) => readyAt)),
  });
  if (start === undefined) return 0;
  const late = new Set(claims.filter(({ createdAt }) => createdAt >= start).map(({ providerId }) => providerId));
  const lateNodes = new Set(nodes.filter(({ providerId }) => late.has(providerId)).map(({ name }) => name));
  return pods.filter(({ nodeName = "" }) => lateNodes.has(nodeName)).length;
}

function countPodsBeforeReady(pods: readonly PodHistory[], nodes: readonly NodeHistory[]): number {
  const readyAt = new Map(nodes.map((node) => [node.name, node.readyAt ?? Number.POSITIVE_INFINITY]));
  return pods.filter(
    ({ nodeName = "", scheduledAt = Number.POSITIVE_INFINITY }) =>
      scheduledAt + watchSkewSeconds < (readyAt.get(nodeName) ?? 0),
  ).length;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
