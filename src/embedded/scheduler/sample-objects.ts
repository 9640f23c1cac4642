// Small objects for the tests of this folder.
import type {
  Affinity,
  Container,
  Node,
  NodeSpec,
  NodeStatus,
  PersistentVolume,
  PersistentVolumeClaim,
  Pod,
  PodSpec,
} from "kubernetes-types/core/v1.js";
import type { StorageClass } from "kubernetes-types/storage/v1.js";
import { describeRefusal } from "./refusal.ts";
import { Scheduler } from "./scheduler.ts";
import { type ClusterObject, SchedulerCache } from "./scheduler-cache.ts";

export const zoneKey = "topology.kubernetes.io/zone";
export const hostnameKey = "kubernetes.io/hostname";

export function cacheOf(...objects: readonly ClusterObject[]): SchedulerCache {
  const cache = new SchedulerCache();
  for (const object of objects) cache.set(object);
  return cache;
}

interface SampleNode {
  readonly zone?: string;
  readonly labels?: Record<string, string>;
  readonly spec?: NodeSpec;
  readonly allocatable?: NodeStatus["allocatable"];
  readonly images?: NodeStatus["images"];
}

export function nodeOf(name: string, { zone, labels, spec = {}, allocatable, images = [] }: SampleNode = {}): Node {
  return {
    kind: "Node",
    metadata: {
      name,
      labels: { [hostnameKey]: name, ...(zone === undefined ? {} : { [zoneKey]: zone }), ...labels },
    },
    spec,
    status: { allocatable: { cpu: "4", memory: "8Gi", pods: "10", ...allocatable }, images },
  };
}

interface SamplePod extends Partial<Omit<PodSpec, "containers">> {
  readonly namespace?: string;
  readonly labels?: Record<string, string>;
  readonly requests?: Record<string, string>;
  readonly container?: Partial<Container>;
  readonly owner?: string;
  readonly status?: Pod["status"];
}

export function podOf(
  name: string,
  { namespace = "default", labels = {}, requests = {}, container = {}, owner, status = {}, ...spec }: SamplePod = {},
): Pod {
  const ownerReferences =
    owner === undefined
      ? []
      : [{ apiVersion: "apps/v1", kind: "ReplicaSet", name: owner, uid: owner, controller: true }];
  return {
    kind: "Pod",
    metadata: { name, namespace, labels, uid: `uid of ${name}`, ownerReferences },
    spec: { ...spec, containers: [{ name: "main", image: "image", resources: { requests }, ...container }] },
    status,
  };
}

/** That many bound pods with these labels. */
export function crowd(count: number, nodeName: string, labels: Record<string, string> = { app: "web" }): Pod[] {
  return Array.from({ length: count }, (_, index) => podOf(`${nodeName}-${index}`, { labels, nodeName }));
}

export function near(app: string, topologyKey: string): Affinity {
  const term = { topologyKey, labelSelector: { matchLabels: { app } } };
  return { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term] } };
}

export function apart(app: string, topologyKey: string): Affinity {
  const term = { topologyKey, labelSelector: { matchLabels: { app } } };
  return { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term] } };
}

export function claimOf(name: string, spec: PersistentVolumeClaim["spec"] = {}): PersistentVolumeClaim {
  const annotations = spec.volumeName === undefined ? {} : { "pv.kubernetes.io/bind-completed": "yes" };
  return {
    kind: "PersistentVolumeClaim",
    metadata: { name, namespace: "default", annotations },
    spec: { resources: { requests: { storage: "1Gi" } }, accessModes: ["ReadWriteOnce"], ...spec },
  };
}

export function volumeOf(name: string, spec: PersistentVolume["spec"] = {}): PersistentVolume {
  return {
    kind: "PersistentVolume",
    metadata: { name },
    spec: { capacity: { storage: "1Gi" }, accessModes: ["ReadWriteOnce"], ...spec },
    status: { phase: "Available" },
  };
}

export function inZone(zone: string): NonNullable<PersistentVolume["spec"]> {
  const terms = [{ matchExpressions: [{ key: zoneKey, operator: "In", values: [zone] }] }];
  return { nodeAffinity: { required: { nodeSelectorTerms: terms } } };
}

export function classOf(name: string, rest: Partial<StorageClass> = {}): StorageClass {
  return {
    kind: "StorageClass",
    metadata: { name },
    provisioner: "csi.example.com",
    volumeBindingMode: "WaitForFirstConsumer",
    ...rest,
  };
}

export function usesClaim(claimName: string): Pick<PodSpec, "volumes"> {
  return { volumes: [{ name: "data", persistentVolumeClaim: { claimName } }] };
}

/** Where the pod goes, or why it goes nowhere. */
export function decide(cache: SchedulerCache, pod: Pod): string {
  const placement = new Scheduler(cache, () => 0).schedule(pod);
  return placement.kind === "placed" ? placement.node : describeRefusal(placement.refusal);
}

/** The reasons alone, without what preemption has to say. */
export function refusalCounts(cache: SchedulerCache, pod: Pod): Record<string, number> {
  const placement = new Scheduler(cache, () => 0).schedule(pod);
  return placement.kind === "placed" ? {} : Object.fromEntries(placement.refusal.counts);
}
