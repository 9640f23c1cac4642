import { daemonPodOnNewNode, newestPodByDaemonSet } from "../model/daemon-pod.ts";
import { isAlwaysHeld } from "../model/do-not-disrupt.ts";
import type { InstanceType } from "../model/instance-type.ts";
import { joinNodes } from "../model/join-nodes.ts";
import { placePods, type WaitingRule } from "../model/place-pods.ts";
import type { Pod } from "../model/pod.ts";
import type { Selector } from "../model/selector.ts";
import type { Snapshot } from "../model/snapshot.ts";
import { identify, isRecord } from "./field.ts";
import { ObjectCollection } from "./object-collection.ts";
import type { Problem } from "./problem.ts";
import { readDaemonSet } from "./read-daemon-set.ts";
import { readAttachLimits, readNode } from "./read-node.ts";
import { readNodeClaim } from "./read-node-claim.ts";
import { readNodePool } from "./read-node-pool.ts";
import { createPodReader, type PodReader } from "./read-pod.ts";
import { readControllerSelector, readNamespace, readService } from "./read-selectables.ts";
import { readStorageClass, readVolume, readVolumeClaim } from "./read-volumes.ts";

export interface SnapshotRead {
  readonly snapshot: Snapshot;
  readonly pendingPods: readonly Pod[];
  /** Pods without a node that cannot be read, by `namespace/name`, with the first thing that is wrong with each. */
  readonly refusedPods: ReadonlyMap<string, Problem>;
  /** What is wrong with the objects that the snapshot does without. */
  readonly problems: readonly Problem[];
}

/** A cluster from its objects, of any kind and in any order. All pools can launch the same instance types. */
export function readSnapshot(
  objects: readonly unknown[],
  instanceTypes: readonly InstanceType[],
  rule: WaitingRule = "unschedulable",
): SnapshotRead {
  const collection = new ObjectCollection(objects);
  const readPod = createPodReader();
  const refusedPods = new Map<string, Problem>();
  const pods = collection.readAll("Pod", (wire) => {
    const read = readPod(wire);
    const [problem] = read.problems ?? [];
    const identity = identify(wire, "default");
    if (problem !== undefined && identity !== undefined && !hasNode(wire)) refusedPods.set(identity, problem);
    return read;
  });
  const limits = collection.readAll("CSINode", readAttachLimits);
  const nodes = joinNodes({
    nodes: collection.readAll("Node", readNode),
    claims: collection.readAll("NodeClaim", readNodeClaim),
    volumeLimits: new Map(limits.map(({ nodeName, limits }) => [nodeName, limits])),
    instanceTypes,
  });
  const { podsByNode, pendingPods } = placePods(pods, nodes, { rule, mustStay: isAlwaysHeld });
  const volumeClaims = collection.readAll("PersistentVolumeClaim", readVolumeClaim);
  const snapshot: Snapshot = {
    nodePools: collection.readAll("NodePool", (wire) => readNodePool(wire, instanceTypes)),
    nodes,
    podsByNode,
    daemonPods: readDaemonPods(collection, pods, readPod),
    namespaces: new Map(collection.readAll("Namespace", readNamespace).map(({ name, labels }) => [name, labels])),
    volumeClaims: new Map(volumeClaims.map((claim) => [`${claim.namespace}/${claim.name}`, claim])),
    volumes: byName(collection.readAll("PersistentVolume", readVolume)),
    storageClasses: byName(collection.readAll("StorageClass", readStorageClass)),
    services: collection.readAll("Service", readService).filter(({ labels }) => labels.size > 0),
    controllerSelectors: readControllerSelectors(collection),
  };
  return { snapshot, pendingPods, refusedPods, problems: collection.problems };
}

function hasNode(wire: unknown): boolean {
  return isRecord(wire) && isRecord(wire.spec) && typeof wire.spec.nodeName === "string" && wire.spec.nodeName !== "";
}

function byName<T extends { readonly name: string }>(values: readonly T[]): ReadonlyMap<string, T> {
  return new Map(values.map((value) => [value.name, value]));
}

function readDaemonPods(collection: ObjectCollection, pods: readonly Pod[], readPod: PodReader): readonly Pod[] {
  const newest = newestPodByDaemonSet(pods);
  return collection
    .readAll("DaemonSet", (wire) => readDaemonSet(wire, readPod))
    .map((template) => daemonPodOnNewNode(template, newest.get(`${template.namespace}/${template.name}`)));
}

function readControllerSelectors(collection: ObjectCollection): ReadonlyMap<string, Selector> {
  const selectors = new Map<string, Selector>();
  for (const kind of ["ReplicaSet", "StatefulSet", "ReplicationController"] as const) {
    for (const { key, selector } of collection.readAll(kind, (wire) => readControllerSelector(wire, kind))) {
      if (selector !== undefined) selectors.set(key, selector);
    }
  }
  return selectors;
}
