import type { PersistentVolume, PersistentVolumeClaim, Pod } from "kubernetes-types/core/v1.js";
import { ApiError } from "../api/api-error.ts";
import type { Address } from "../api/object-api.ts";
import { bindPod } from "../api/subresources/binding.ts";
import type { JsonObject, KubeObject } from "../kube-object.ts";
import { describeRefusal } from "../scheduler/refusal.ts";
import { gateMessage, type Placement, Scheduler } from "../scheduler/scheduler.ts";
import { SchedulerCache } from "../scheduler/scheduler-cache.ts";
import type { StoredEvent } from "../storage/stored-event.ts";
import { timestamp } from "../timestamp.ts";
import type { RunningPart, WorkloadContext } from "../workloads/workload-context.ts";
import { SchedulingQueue } from "./scheduling-queue.ts";

const schedulerName = "default-scheduler";

/** Everything that a decision depends on. */
const watched: readonly (readonly [group: string, plural: string])[] = [
  ["", "namespaces"],
  ["", "nodes"],
  ["", "pods"],
  ["", "services"],
  ["", "persistentvolumeclaims"],
  ["", "persistentvolumes"],
  ["", "replicationcontrollers"],
  ["apps", "replicasets"],
  ["apps", "statefulsets"],
  ["storage.k8s.io", "storageclasses"],
  ["storage.k8s.io", "csinodes"],
  ["storage.k8s.io", "csidrivers"],
  ["policy", "poddisruptionbudgets"],
];

/** Finds a node for every pod that asks for one, through the API as any scheduler does. */
export class SchedulingLoop implements RunningPart {
  readonly #parts: WorkloadContext;
  readonly #cache = new SchedulerCache();
  readonly #scheduler: Scheduler;
  readonly #queue: SchedulingQueue;
  readonly #unsubscribe: (() => void)[] = [];
  /** Waiting pods that want to be near or far from others: where those go matters to them. */
  readonly #sociable = new Set<string>();

  constructor(parts: WorkloadContext) {
    this.#parts = parts;
    this.#scheduler = new Scheduler(this.#cache, parts.random);
    this.#queue = new SchedulingQueue(parts.clock, () => this.#run());
    const { api } = parts;
    for (const [group, plural] of watched) {
      const definition = api.registry.find(group, "v1", plural);
      if (definition === undefined) throw new Error(`The API serves no ${plural}, which scheduling depends on`);
      const collection = api.collection(definition);
      for (const object of collection.list()) this.#see({ type: "ADDED", object, version: 0 });
      this.#unsubscribe.push(collection.subscribe((event) => this.#see(event)));
    }
  }

  stop(): void {
    for (const unsubscribe of this.#unsubscribe) unsubscribe();
    this.#queue.stop();
  }

  #see({ type, object, previous }: StoredEvent): void {
    if (type === "DELETED") this.#cache.remove(object);
    else this.#cache.set(object);
    if (object.kind === "Pod") this.#seePod(type, object as unknown as Pod, previous as unknown as Pod | undefined);
    else if (!isHeartbeat(object, previous)) this.#queue.retryAll();
  }

  #seePod(type: StoredEvent["type"], pod: Pod, previous: Pod | undefined): void {
    const key = `${pod.metadata?.namespace}/${pod.metadata?.name}`;
    const wantsPlace = type !== "DELETED" && waits(pod);
    if (!wantsPlace) this.#forget(key);
    else if (previous === undefined || !waits(previous)) {
      const since = Date.parse(pod.metadata?.creationTimestamp ?? "");
      if (isSociable(pod)) this.#sociable.add(key);
      this.#queue.add({ key, priority: pod.spec?.priority ?? 0, since });
    } else if (JSON.stringify(pod.spec) !== JSON.stringify(previous.spec) || hasNewNomination(pod, previous))
      this.#queue.retry(key);
    const hasFreedRoom = type === "DELETED" || (isFinished(pod) && previous !== undefined && !isFinished(previous));
    const wasPlaced = (pod.spec?.nodeName ?? "") !== "" && (previous?.spec?.nodeName ?? "") === "";
    if (hasFreedRoom && (pod.spec?.nodeName ?? "") !== "") this.#queue.retryAll();
    else if (wasPlaced) for (const other of this.#sociable) this.#queue.retry(other);
  }

  #forget(key: string): void {
    this.#queue.remove(key);
    this.#sociable.delete(key);
  }

  #run(): void {
    for (const { key } of this.#queue.ready()) {
      const [namespace = "", name = ""] = key.split("/");
      const definition = this.#parts.api.registry.find("", "v1", "pods");
      const address = definition === undefined ? undefined : { definition, namespace, name };
      const pod = address === undefined ? undefined : this.#parts.api.find(address);
      if (address === undefined || pod === undefined || !waits(pod as unknown as Pod)) {
        this.#forget(key);
        continue;
      }
      this.#try(address, pod);
    }
  }

  #try(address: Address, object: KubeObject): void {
    const pod = object as unknown as Pod;
    const key = `${address.namespace}/${address.name}`;
    const placement = this.#scheduler.schedule(pod);
    this.#queue.refused(key);
    try {
      if (placement.kind === "refused") this.#refuse(address, object, placement);
      else if (this.#bindVolumes(placement)) this.#bind(address, object, placement.node);
    } catch (error) {
      // Somebody else was faster; the queue hears of it, or tries again.
      if (!(error instanceof ApiError)) throw error;
      this.#queue.retry(key);
    }
  }

  #bind(address: Address, pod: KubeObject, node: string): void {
    const { api, recordEvent } = this.#parts;
    const key = `${address.namespace}/${address.name}`;
    bindPod(api, address, { binding: { target: { kind: "Node", name: node } }, options: {} });
    this.#forget(key);
    recordEvent({
      about: pod,
      type: "Normal",
      reason: "Scheduled",
      message: `Successfully assigned ${key} to ${node}`,
      source: schedulerName,
    });
  }

  /** Whether every volume of the pod is there; those that are not are asked for, and the pod waits for them. */
  #bindVolumes({ node, volumes }: Extract<Placement, { kind: "placed" }>): boolean {
    for (const { claim, volume } of volumes.bindings) this.#bindVolume(claim, volume);
    for (const claim of volumes.provisions) this.#selectNode(claim, node);
    return volumes.bindings.length + volumes.provisions.length === 0;
  }

  #bindVolume(claim: PersistentVolumeClaim, volume: PersistentVolume): void {
    const definition = this.#definition("persistentvolumes");
    const { namespace = "", name = "", uid = "" } = claim.metadata ?? {};
    this.#parts.api.patch({ definition, name: volume.metadata?.name ?? "" }, (current) => ({
      ...current,
      spec: {
        ...(current.spec as JsonObject),
        claimRef: { apiVersion: "v1", kind: "PersistentVolumeClaim", namespace, name, uid },
      },
    }));
  }

  #selectNode(claim: PersistentVolumeClaim, node: string): void {
    const definition = this.#definition("persistentvolumeclaims");
    const { namespace = "", name = "" } = claim.metadata ?? {};
    this.#parts.api.patch({ definition, namespace, name }, (current) => ({
      ...current,
      metadata: {
        ...current.metadata,
        annotations: { ...current.metadata.annotations, "volume.kubernetes.io/selected-node": node },
      },
    }));
  }

  #definition(plural: string) {
    const definition = this.#parts.api.registry.find("", "v1", plural);
    if (definition === undefined) throw new Error(`The API serves no ${plural}`);
    return definition;
  }

  #refuse(
    address: Address,
    pod: KubeObject,
    { refusal, nominatedNodeName }: Extract<Placement, { kind: "refused" }>,
  ): void {
    const { api, recordEvent } = this.#parts;
    const message = describeRefusal(refusal);
    if (refusal.preemption.kind === "victims") {
      for (const victim of refusal.preemption.victims) this.#preempt(victim, pod);
    }
    api.patch(
      address,
      (current) => ({
        ...current,
        status: refusedStatus(current, { message, nominatedNodeName, now: this.#parts.clock.now() }),
      }),
      { subresource: "status" },
    );
    recordEvent({ about: pod, type: "Warning", reason: "FailedScheduling", message, source: schedulerName });
  }

  #preempt(victim: Pod, preemptor: KubeObject): void {
    const { api, recordEvent } = this.#parts;
    const definition = this.#definition("pods");
    const { namespace = "", name = "" } = victim.metadata ?? {};
    if (api.find({ definition, namespace, name }) === undefined) return;
    recordEvent({
      about: victim as unknown as KubeObject,
      type: "Normal",
      reason: "Preempted",
      message: `Preempted by pod ${preemptor.metadata.uid} on node ${victim.spec?.nodeName}`,
      source: schedulerName,
    });
    api.delete({ definition, namespace, name });
  }
}

interface RefusedStatus {
  readonly message: string;
  readonly nominatedNodeName: string | undefined;
  readonly now: number;
}

function refusedStatus({ status }: KubeObject, { message, nominatedNodeName, now }: RefusedStatus): JsonObject {
  const before = (status ?? {}) as NonNullable<Pod["status"]>;
  const old = (before.conditions ?? []).find(({ type }) => type === "PodScheduled");
  const others = (before.conditions ?? []).filter(({ type }) => type !== "PodScheduled");
  const condition = {
    type: "PodScheduled",
    status: "False",
    reason: "Unschedulable",
    message,
    lastProbeTime: null,
    lastTransitionTime: old?.status === "False" ? old.lastTransitionTime : timestamp(now),
  };
  const nomination = nominatedNodeName === undefined ? before.nominatedNodeName : nominatedNodeName || undefined;
  const { nominatedNodeName: _, ...rest } = before;
  return {
    ...rest,
    ...(nomination === undefined ? {} : { nominatedNodeName: nomination }),
    conditions: [...others, condition],
  };
}

function waits(pod: Pod): boolean {
  return (
    (pod.spec?.nodeName ?? "") === "" &&
    pod.metadata?.deletionTimestamp === undefined &&
    (pod.spec?.schedulerName ?? schedulerName) === schedulerName &&
    gateMessage(pod) === undefined &&
    !isFinished(pod)
  );
}

function isSociable({ spec }: Pod): boolean {
  const { podAffinity, podAntiAffinity } = spec?.affinity ?? {};
  return (
    podAffinity !== undefined || podAntiAffinity !== undefined || (spec?.topologySpreadConstraints ?? []).length > 0
  );
}

function isFinished({ status }: Pod): boolean {
  return status?.phase === "Succeeded" || status?.phase === "Failed";
}

function hasNewNomination(pod: Pod, previous: Pod): boolean {
  const nomination = pod.status?.nominatedNodeName;
  return nomination !== undefined && nomination !== previous.status?.nominatedNodeName;
}

/** A node that only says that it is alive helps nobody. */
function isHeartbeat(object: KubeObject, previous: KubeObject | undefined): boolean {
  if (object.kind !== "Node" || previous === undefined) return false;
  const facts = ({ metadata, spec, status }: KubeObject): string => {
    const { allocatable, conditions = [] } = (status ?? {}) as {
      allocatable?: unknown;
      conditions?: { type: string; status: string }[];
    };
    return JSON.stringify([
      metadata.labels,
      spec,
      allocatable,
      conditions.map(({ type, status: value }) => [type, value]),
    ]);
  };
  return facts(object) === facts(previous);
}
