import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Pod } from "kubernetes-types/core/v1.js";
import { startControlPlane } from "../../../scripts/lab/control-plane.ts";
import type { ClusterObject } from "../../../src/embedded/scheduler/scheduler-cache.ts";
import { ClusterApi, clusterKinds } from "./cluster-api.ts";
import { type Extender, startExtender } from "./extender.ts";
import { GrowingFile } from "./growing-file.ts";
import type { RandomCluster } from "./random-cluster.ts";
import { namespaces, priorityClasses } from "./words.ts";

/** A real kube-scheduler whose decisions can be listened to and never come true. */
export interface SchedulerLab {
  readonly api: ClusterApi;
  readonly extender: Extender;
  readonly schedulerLog: GrowingFile;
  stop(): Promise<void>;
}

export interface SchedulerLabOptions {
  /** Lets it score nodes, too. */
  readonly scores?: boolean;
  readonly progress?: ((line: string) => void) | undefined;
}

const apiserverFlags = [
  // Without controllers nobody would make service accounts, end what these protect or untaint nodes.
  "--disable-admission-plugins=ServiceAccount,StorageObjectInUseProtection,TaintNodesByCondition,RuntimeClass",
];
/** Long enough for kube-scheduler to have seen what was written. */
export const settleMs = 200;
const patienceMs = 180_000;

export async function startSchedulerLab({ scores = false, progress }: SchedulerLabOptions): Promise<SchedulerLab> {
  const extender = await startExtender({ scores });
  const controlPlane = await startControlPlane({
    hasScheduler: true,
    apiserverFlags,
    schedulerFlags: scores ? ["-v=10"] : [],
    schedulerConfiguration: {
      percentageOfNodesToScore: 100,
      podInitialBackoffSeconds: 60,
      podMaxBackoffSeconds: 60,
      extenders: [extender.configuration],
    },
    ...(progress === undefined ? {} : { progress }),
  });
  const api = new ClusterApi(controlPlane);
  await createSurroundings(api);
  return {
    api,
    extender,
    schedulerLog: new GrowingFile(join(controlPlane.folder, "kube-scheduler.log")),
    async stop() {
      api.close();
      await controlPlane.stop();
      await extender.stop();
    },
  };
}

async function createSurroundings(api: ClusterApi): Promise<void> {
  for (const [name, labels] of Object.entries(namespaces)) {
    await api.create({ kind: "Namespace", metadata: { name, labels } });
  }
  for (const [name, value] of Object.entries(priorityClasses)) {
    const preemptionPolicy = name === "meek" ? "Never" : "PreemptLowerPriority";
    await api.create({ kind: "PriorityClass", metadata: { name }, value, preemptionPolicy } as ClusterObject);
  }
}

/** Returns what the API says of the cluster, defaults included, once kube-scheduler knows it too. */
export async function createCluster(
  api: ClusterApi,
  { objects, nominated }: Pick<RandomCluster, "objects" | "nominated">,
): Promise<ClusterObject[]> {
  const created = await createValid(api, objects);
  await Promise.all(created.filter(isLeaving).map((pod) => api.remove(pod, 30)));
  const waiting = await createValid(api, nominated);
  // An attempt that fails may clear the nomination, so it is made again after the first.
  await waitForAttempts(api, waiting);
  await Promise.all(waiting.map((pod) => api.setStatus(pod)));
  const lists = await Promise.all([...clusterKinds, "Namespace"].map((kind) => api.list(kind)));
  await sleep(settleMs);
  return lists.flat();
}

export async function removeCluster(api: ClusterApi): Promise<void> {
  await Promise.all(clusterKinds.map((kind) => api.removeAll(kind)));
}

function isLeaving({ kind, ...rest }: ClusterObject): boolean {
  return kind === "Pod" && ((rest as Pod).status?.conditions ?? []).length > 0;
}

/** Chance may put together what the API does not take; that is left out. */
export async function createValid<T extends ClusterObject>(api: ClusterApi, objects: readonly T[]): Promise<T[]> {
  const areValid = await Promise.all(objects.map((object) => api.create(object)));
  return objects.filter((_, position) => areValid[position]);
}

/** The pods by namespace/name, once the scheduler has tried each. */
export async function waitForAttempts(api: ClusterApi, pods: readonly Pod[]): Promise<ReadonlyMap<string, Pod>> {
  const deadline = performance.now() + patienceMs;
  while (performance.now() < deadline) {
    const stored = new Map(((await api.list("Pod")) as Pod[]).map((pod) => [keyOf(pod), pod]));
    if (pods.every((pod) => attemptOf(stored.get(keyOf(pod))) !== undefined)) return stored;
    await sleep(30);
  }
  throw new Error(`kube-scheduler has not tried all of ${pods.map(keyOf).join(", ")} in ${patienceMs / 1000} s`);
}

export function attemptOf(pod: Pod | undefined) {
  return pod?.status?.conditions?.find(({ type, reason }) => type === "PodScheduled" && reason !== "SchedulingGated");
}

export function keyOf({ metadata }: Pod): string {
  return `${metadata?.namespace}/${metadata?.name}`;
}
