import type { Node, Pod } from "kubernetes-types/core/v1.js";
import { areEqual } from "../../core/api/schema/json.ts";
import { ApiError } from "../api/api-error.ts";
import type { KubeObject } from "../kube-object.ts";
import { isPodFinished } from "../pod-state.ts";
import { gateMessage, Scheduler } from "../scheduler/scheduler.ts";
import { SchedulerCache, scheduledKinds } from "../scheduler/scheduler-cache.ts";
import { isHard, toleratesAll } from "../scheduler/tolerations.ts";
import { keyOf } from "../storage/collection.ts";
import type { StoredEvent } from "../storage/stored-event.ts";
import type { RunningPart, WorkloadContext } from "../workloads/workload-context.ts";
import { PlacementWriter, schedulerName } from "./placement-writer.ts";
import { SchedulingQueue } from "./scheduling-queue.ts";

/** Finds a node for every pod that asks for one, through the API as any scheduler does. */
export class SchedulingLoop implements RunningPart {
  readonly #cache = new SchedulerCache();
  readonly #scheduler: Scheduler;
  readonly #queue: SchedulingQueue;
  readonly #writer: PlacementWriter;
  readonly #onError: WorkloadContext["onError"];
  readonly #unsubscribe: (() => void)[] = [];
  /** Waiting pods that want to be near or far from others: where those go matters to them. */
  readonly #sociable = new Set<string>();

  constructor(context: WorkloadContext) {
    this.#scheduler = new Scheduler(this.#cache, context.random);
    this.#queue = new SchedulingQueue(context.clock, () => this.#run());
    this.#writer = new PlacementWriter(context);
    this.#onError = context.onError;
    const { api } = context;
    for (const definition of api.registry.all()) {
      if (definition.storedAs !== undefined || !scheduledKinds.get(definition.group)?.includes(definition.kind))
        continue;
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
    if (object.kind === "Pod") this.#seePod(type, object, previous);
    else if (object.kind !== "Node") this.#queue.retryAll();
    else if (type !== "DELETED" && !isHeartbeat(object, previous)) this.#seeNode(object as unknown as Node);
  }

  /** A node helps those that may go there, and as nobody else is to be served they are tried at once. */
  #seeNode({ spec }: Node): void {
    const taints = (spec?.taints ?? []).filter(isHard);
    for (const key of this.#queue.refusedKeys()) {
      const pod = this.#writer.find(key) as unknown as Pod | undefined;
      if (pod !== undefined && toleratesAll(pod.spec?.tolerations ?? [], taints)) this.#queue.retryNow(key);
    }
  }

  #seePod(type: StoredEvent["type"], object: KubeObject, previousObject: KubeObject | undefined): void {
    const [pod, previous] = [object as unknown as Pod, previousObject as unknown as Pod | undefined];
    const key = keyOf(object);
    if (type === "DELETED" || !waits(pod)) this.#forget(key);
    else if (previous === undefined || !waits(previous)) {
      if (isSociable(pod)) this.#sociable.add(key);
      this.#queue.add({ key, priority: pod.spec?.priority ?? 0, since: Date.parse(object.metadata.creationTimestamp) });
    } else if (isChanged(pod, previous)) this.#queue.retry(key);
    this.#noteRoom(type, pod, previous);
  }

  /** A pod that goes makes room for all; one that comes may be whom others want to be near. */
  #noteRoom(type: StoredEvent["type"], pod: Pod, previous: Pod | undefined): void {
    if (!isPlaced(pod)) return;
    const hasEnded = isPodFinished(pod) && previous !== undefined && !isPodFinished(previous);
    if (type === "DELETED" || hasEnded) this.#queue.retryAll();
    else if (previous === undefined || !isPlaced(previous))
      for (const other of this.#sociable) this.#queue.retry(other);
  }

  #forget(key: string): void {
    this.#queue.remove(key);
    this.#sociable.delete(key);
  }

  #run(): void {
    for (const { key } of this.#queue.ready()) {
      const pod = this.#writer.find(key);
      if (pod === undefined || !waits(pod as unknown as Pod)) this.#forget(key);
      else this.#try(key, pod);
    }
  }

  #try(key: string, pod: KubeObject): void {
    // It waits for a change until it is bound, which takes it off the queue.
    this.#queue.refused(key);
    try {
      this.#writer.write(pod, this.#scheduler.schedule(pod as unknown as Pod));
    } catch (error) {
      // Somebody else was faster; the queue hears of it, or tries again. Anything else is a mistake of ours.
      if (!(error instanceof ApiError)) this.#onError(`scheduling ${key}`, error);
      this.#queue.retry(key);
    }
  }
}

function waits(pod: Pod): boolean {
  return (
    !isPlaced(pod) &&
    pod.metadata?.deletionTimestamp === undefined &&
    (pod.spec?.schedulerName ?? schedulerName) === schedulerName &&
    gateMessage(pod) === undefined &&
    !isPodFinished(pod)
  );
}

function isPlaced({ spec }: Pod): boolean {
  return (spec?.nodeName ?? "") !== "";
}

function isSociable({ spec }: Pod): boolean {
  const { podAffinity, podAntiAffinity } = spec?.affinity ?? {};
  const spreads = spec?.topologySpreadConstraints ?? [];
  return podAffinity !== undefined || podAntiAffinity !== undefined || spreads.length > 0;
}

/** Whether what the pod asks for is new. A nomination is where it is tried first, not a reason to try it. */
function isChanged(pod: Pod, previous: Pod): boolean {
  return !areEqual(pod.spec, previous.spec);
}

/** A node that only says that it is alive helps nobody. */
function isHeartbeat(object: KubeObject, previous: KubeObject | undefined): boolean {
  if (previous === undefined) return false;
  const facts = ({ metadata, spec, status }: KubeObject): unknown[] => {
    const { allocatable } = (status ?? {}) as { allocatable?: unknown };
    return [metadata.labels, spec, allocatable];
  };
  return areEqual(facts(object), facts(previous));
}
