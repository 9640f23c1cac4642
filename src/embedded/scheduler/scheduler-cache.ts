import type { ReplicaSet, StatefulSet } from "kubernetes-types/apps/v1.js";
import type {
  Namespace,
  Node,
  PersistentVolume,
  PersistentVolumeClaim,
  Pod,
  ReplicationController,
  Service,
} from "kubernetes-types/core/v1.js";
import type { ObjectMeta } from "kubernetes-types/meta/v1.js";
import type { PodDisruptionBudget } from "kubernetes-types/policy/v1.js";
import type {
  CSIDriver,
  CSINode,
  CSIStorageCapacity,
  StorageClass,
  VolumeAttachment,
} from "kubernetes-types/storage/v1.js";
import { type Labels, noLabels } from "../label-matcher.ts";
import { isPodFinished } from "../pod-state.ts";
import { ImageCounts } from "./image-counts.ts";
import { NodeOrder } from "./node-order.ts";
import { labelsOf } from "./node-selector.ts";
import { NodeState } from "./node-state.ts";
import { claimNameOf, type PodInfo, podInfoOf, volumesOf } from "./pod-info.ts";
import { StorageState } from "./storage-state.ts";

/** Any object of the API. */
export interface ClusterObject {
  readonly kind?: string;
  readonly metadata?: ObjectMeta;
}

/** The kinds that decisions depend on, by group. Objects of other kinds are ignored. */
export const scheduledKinds: ReadonlyMap<string, readonly string[]> = new Map([
  ["", ["Node", "Pod", "Namespace", "Service", "ReplicationController", "PersistentVolume", "PersistentVolumeClaim"]],
  ["apps", ["ReplicaSet", "StatefulSet"]],
  ["policy", ["PodDisruptionBudget"]],
  ["storage.k8s.io", ["StorageClass", "CSINode", "CSIDriver", "CSIStorageCapacity", "VolumeAttachment"]],
]);

/** What selects pods by labels and may own them. */
export type PodOwner = ReplicationController | ReplicaSet | StatefulSet;

/**
 * What the scheduler knows of the cluster. Feed it every object of {@link scheduledKinds} with `set`, again whenever it
 * changes, and `remove` when it is gone. A pod counts on the node that its spec names; to count it there before the API
 * says so, set a copy with the nodeName. Finished pods count nowhere.
 */
export class SchedulerCache {
  readonly storage = new StorageState();
  readonly images = new ImageCounts();
  readonly budgets = new Map<string, PodDisruptionBudget>();
  /** Bound pods whose anti-affinity others must respect. */
  readonly podsWithRequiredAntiAffinity = new Set<PodInfo>();
  /** Bound pods with any rule about other pods. */
  readonly podsWithAffinity = new Set<PodInfo>();
  readonly #states = new Map<string, NodeState>();
  readonly #order = new NodeOrder();
  readonly #pods = new Map<string, PodInfo>();
  readonly #nominated = new Map<string, Set<PodInfo>>();
  readonly #claimUsers = new Map<string, Set<PodInfo>>();
  readonly #namespaces = new Map<string, Namespace>();
  readonly #services = new Map<string, Map<string, Service>>();
  readonly #owners = new Map<string, PodOwner>();

  set(object: ClusterObject): void {
    this.#apply(object, true);
  }

  remove(object: ClusterObject): void {
    this.#apply(object, false);
  }

  /** Nodes that exist, in the order in which they are looked at. */
  get nodes(): readonly NodeState[] {
    return this.#order.list();
  }

  node(name: string): NodeState | undefined {
    const state = this.#states.get(name);
    return state?.node === undefined ? undefined : state;
  }

  /** The node that a bound pod is on, if that node exists. */
  nodeOf({ pod }: PodInfo): NodeState | undefined {
    return this.node(pod.spec?.nodeName ?? "");
  }

  /** Pods that wait for a place and have this one in prospect. */
  nominatedTo(node: string): Iterable<PodInfo> {
    return this.#nominated.get(node) ?? [];
  }

  isClaimInUse(key: string): boolean {
    for (const info of this.#claimUsers.get(key) ?? []) if (this.nodeOf(info) !== undefined) return true;
    return false;
  }

  namespaceLabels(name: string): Labels {
    const namespace = this.#namespaces.get(name);
    return namespace === undefined ? noLabels : labelsOf(namespace);
  }

  get namespaces(): Iterable<Namespace> {
    return this.#namespaces.values();
  }

  servicesIn(namespace: string): Iterable<Service> {
    return this.#services.get(namespace)?.values() ?? [];
  }

  owner(kind: string, namespace: string, name: string): PodOwner | undefined {
    return this.#owners.get(`${kind}/${namespace}/${name}`);
  }

  #apply(object: ClusterObject, exists: boolean): void {
    const { name = "", namespace = "" } = object.metadata ?? {};
    const key = `${namespace}/${name}`;
    const { claims, volumes, classes, csiNodes, csiDrivers, capacities, attachments } = this.storage;
    switch (object.kind) {
      case "Node":
        this.#applyNode(name, exists ? (object as Node) : undefined);
        break;
      case "Pod":
        this.#applyPod(key, exists ? (object as Pod) : undefined);
        break;
      case "Namespace":
        put(this.#namespaces, name, exists ? (object as Namespace) : undefined);
        break;
      case "Service":
        this.#applyService(namespace, name, exists ? (object as Service) : undefined);
        break;
      case "ReplicationController":
      case "ReplicaSet":
      case "StatefulSet":
        put(this.#owners, `${object.kind}/${key}`, exists ? (object as PodOwner) : undefined);
        break;
      case "PodDisruptionBudget":
        put(this.budgets, key, exists ? (object as PodDisruptionBudget) : undefined);
        break;
      case "PersistentVolumeClaim":
        put(claims, key, exists ? (object as PersistentVolumeClaim) : undefined);
        break;
      case "PersistentVolume":
        volumes.put(name, exists ? (object as PersistentVolume) : undefined);
        break;
      case "StorageClass":
        put(classes, name, exists ? (object as StorageClass) : undefined);
        break;
      case "CSINode":
        put(csiNodes, name, exists ? (object as CSINode) : undefined);
        break;
      case "CSIDriver":
        put(csiDrivers, name, exists ? (object as CSIDriver) : undefined);
        break;
      case "CSIStorageCapacity":
        put(capacities, key, exists ? (object as CSIStorageCapacity) : undefined);
        break;
      case "VolumeAttachment":
        attachments.put(name, exists ? (object as VolumeAttachment) : undefined);
        break;
      default:
        break;
    }
  }

  #applyNode(name: string, node: Node | undefined): void {
    const state = this.#stateOf(name);
    this.images.change(state.node, node);
    state.setNode(node);
    if (node === undefined) {
      this.#order.remove(state);
      this.#dropIfUnused(state);
    } else this.#order.set(state);
  }

  #applyPod(key: string, pod: Pod | undefined): void {
    const old = this.#pods.get(key);
    if (old !== undefined) this.#forget(old);
    if (pod === undefined || isPodFinished(pod)) return;
    const info = podInfoOf(pod);
    this.#pods.set(key, info);
    const { nodeName = "" } = pod.spec ?? {};
    if (nodeName !== "") this.#place(info, nodeName);
    else if (isNominated(pod)) addTo(this.#nominated, pod.status?.nominatedNodeName ?? "", info);
  }

  #place(info: PodInfo, nodeName: string): void {
    this.#stateOf(nodeName).addPod(info);
    if (info.hasAffinity) this.podsWithAffinity.add(info);
    if (info.terms.requiredAnti.length > 0) this.podsWithRequiredAntiAffinity.add(info);
    for (const claim of claimKeysOf(info)) addTo(this.#claimUsers, claim, info);
  }

  #forget(info: PodInfo): void {
    this.#pods.delete(info.key);
    this.podsWithAffinity.delete(info);
    this.podsWithRequiredAntiAffinity.delete(info);
    for (const claim of claimKeysOf(info)) deleteFrom(this.#claimUsers, claim, info);
    deleteFrom(this.#nominated, info.pod.status?.nominatedNodeName ?? "", info);
    const state = this.#states.get(info.pod.spec?.nodeName ?? "");
    state?.removePod(info);
    if (state !== undefined) this.#dropIfUnused(state);
  }

  #applyService(namespace: string, name: string, service: Service | undefined): void {
    const services = this.#services.get(namespace) ?? new Map<string, Service>();
    put(services, name, service);
    put(this.#services, namespace, services.size === 0 ? undefined : services);
  }

  #stateOf(name: string): NodeState {
    const known = this.#states.get(name);
    if (known !== undefined) return known;
    const state = new NodeState(name);
    this.#states.set(name, state);
    return state;
  }

  #dropIfUnused(state: NodeState): void {
    if (state.node === undefined && state.pods.size === 0) this.#states.delete(state.name);
  }
}

/** Only pods that this scheduler may place keep room free; gated ones do not wait for a place yet. */
function isNominated({ spec, status }: Pod): boolean {
  const isOurs = (spec?.schedulerName ?? "default-scheduler") === "default-scheduler";
  return isOurs && (status?.nominatedNodeName ?? "") !== "" && (spec?.schedulingGates ?? []).length === 0;
}

/** Claims that the pod names; the ones made for its ephemeral volumes are nobody else's. */
function claimKeysOf({ pod, namespace }: PodInfo): string[] {
  return volumesOf(pod)
    .filter(({ persistentVolumeClaim }) => persistentVolumeClaim !== undefined)
    .map((volume) => `${namespace}/${claimNameOf(pod, volume)}`);
}

function put<T>(map: Map<string, T>, key: string, value: T | undefined): void {
  if (value === undefined) map.delete(key);
  else map.set(key, value);
}

function addTo<T>(map: Map<string, Set<T>>, key: string, value: T): void {
  const set = map.get(key);
  if (set === undefined) map.set(key, new Set([value]));
  else set.add(value);
}

function deleteFrom<T>(map: Map<string, Set<T>>, key: string, value: T): void {
  const set = map.get(key);
  set?.delete(value);
  if (set?.size === 0) map.delete(key);
}
