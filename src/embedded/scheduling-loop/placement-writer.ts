import type { PersistentVolume, PersistentVolumeClaim, Pod, PodCondition } from "kubernetes-types/core/v1.js";
import type { JsonObject } from "../../core/api/schema/json.ts";
import { bindPod } from "../api/subresources/binding.ts";
import type { ResourceDefinition } from "../kinds/resource-definition.ts";
import type { KubeObject } from "../kube-object.ts";
import { disruptedStatus } from "../pod-state.ts";
import { describeRefusal } from "../scheduler/refusal.ts";
import type { Placement } from "../scheduler/scheduler.ts";
import { keyOf } from "../storage/collection.ts";
import { timestamp } from "../timestamp.ts";
import type { WorkloadContext } from "../workloads/workload-context.ts";

export const schedulerName = "default-scheduler";
const longestNote = 1024;

type Placed = Extract<Placement, { kind: "placed" }>;
type Refused = Extract<Placement, { kind: "refused" }>;

/** Carries out what the scheduler decided, and says so: bindings, conditions, nominations, events. */
export class PlacementWriter {
  readonly #context: WorkloadContext;
  readonly #pods: ResourceDefinition;
  readonly #claims: ResourceDefinition;
  readonly #volumes: ResourceDefinition;

  constructor(context: WorkloadContext) {
    const { registry } = context.api;
    this.#context = context;
    this.#pods = registry.builtIn("", "pods");
    this.#claims = registry.builtIn("", "persistentvolumeclaims");
    this.#volumes = registry.builtIn("", "persistentvolumes");
  }

  /** The pod with that key (`namespace/name`). */
  find(key: string): KubeObject | undefined {
    return this.#context.api.collection(this.#pods).get(key);
  }

  /** Throws an ApiError where the cluster has changed meanwhile. */
  write(pod: KubeObject, placement: Placement): void {
    if (placement.kind === "refused") this.#refuse(pod, placement);
    else if (this.#hasVolumes(placement)) this.#bind(pod, placement.node);
  }

  #addressOf({ metadata }: KubeObject) {
    return { definition: this.#pods, namespace: metadata.namespace ?? "", name: metadata.name };
  }

  #bind(pod: KubeObject, node: string): void {
    const { api, recordEvent } = this.#context;
    const binding = { metadata: { name: pod.metadata.name }, target: { kind: "Node", name: node } };
    bindPod(api, this.#addressOf(pod), { binding, options: {} });
    const message = `Successfully assigned ${keyOf(pod)} to ${node}`;
    recordEvent({ about: pod, type: "Normal", reason: "Scheduled", message, source: schedulerName });
  }

  /** Whether every volume of the pod is there; those that are not are asked for, and the pod waits for them. */
  #hasVolumes({ node, volumes }: Placed): boolean {
    for (const { claim, volume } of volumes.bindings) this.#promiseVolume(claim, volume);
    for (const claim of volumes.provisions) this.#selectNode(claim, node);
    return volumes.bindings.length + volumes.provisions.length === 0;
  }

  #promiseVolume({ metadata: claim = {} }: PersistentVolumeClaim, volume: PersistentVolume): void {
    const { namespace, name, uid } = claim;
    const claimRef = { apiVersion: "v1", kind: "PersistentVolumeClaim", namespace, name, uid };
    this.#context.api.patch({ definition: this.#volumes, name: volume.metadata?.name ?? "" }, (current) => ({
      ...current,
      spec: { ...(current.spec as JsonObject), claimRef },
    }));
  }

  #selectNode({ metadata: claim = {} }: PersistentVolumeClaim, node: string): void {
    const address = { definition: this.#claims, namespace: claim.namespace ?? "", name: claim.name ?? "" };
    this.#context.api.patch(address, (current) => {
      const annotations = { ...current.metadata.annotations, "volume.kubernetes.io/selected-node": node };
      return { ...current, metadata: { ...current.metadata, annotations } };
    });
  }

  #refuse(pod: KubeObject, { refusal, nominatedNodeName }: Refused): void {
    const { clock, recordEvent } = this.#context;
    const message = describeRefusal(refusal);
    if (refusal.preemption.kind === "victims") {
      for (const victim of refusal.preemption.victims) this.#preempt(victim as unknown as KubeObject, pod);
    }
    this.#setStatus(pod, (status) => {
      const { nominatedNodeName: before, ...rest } = status;
      const nomination = nominatedNodeName ?? before ?? "";
      const observedGeneration = pod.metadata.generation;
      const refused = { type: "PodScheduled", status: "False", observedGeneration, reason: "Unschedulable", message };
      const conditions = withCondition(status.conditions ?? [], refused, clock.now());
      return { ...rest, ...(nomination === "" ? {} : { nominatedNodeName: nomination }), conditions };
    });
    const note = message.length > longestNote ? `${message.slice(0, longestNote - 4)} ...` : message;
    recordEvent({ about: pod, type: "Warning", reason: "FailedScheduling", message: note, source: schedulerName });
  }

  #preempt(victim: KubeObject, preemptor: KubeObject): void {
    const { api, clock, recordEvent } = this.#context;
    if (this.find(keyOf(victim)) === undefined) return;
    const why = `${schedulerName}: preempting to accommodate a higher priority pod`;
    const disruption = { reason: "PreemptionByScheduler", message: why, now: clock.now() };
    this.#setStatus(victim, (status) => disruptedStatus({ status }, disruption));
    api.delete(this.#addressOf(victim));
    const node = (victim as unknown as Pod).spec?.nodeName ?? "";
    const message = `Preempted by pod ${preemptor.metadata.uid} on node ${node}`;
    recordEvent({ about: victim, type: "Normal", reason: "Preempted", message, source: schedulerName });
  }

  #setStatus(pod: KubeObject, change: (status: NonNullable<Pod["status"]>) => object): void {
    const update = (current: KubeObject) => ({
      ...current,
      status: change((current.status ?? {}) as NonNullable<Pod["status"]>),
    });
    this.#context.api.patch(this.#addressOf(pod), update, { subresource: "status" });
  }
}

/** In place of the condition of that type; the time of its last transition stays while its status does. */
function withCondition(conditions: readonly PodCondition[], condition: PodCondition, now: number): PodCondition[] {
  const before = conditions.find(({ type }) => type === condition.type);
  const lastTransitionTime = before?.status === condition.status ? before.lastTransitionTime : timestamp(now);
  const written = { ...condition, lastProbeTime: null, lastTransitionTime } as unknown as PodCondition;
  return before === undefined ? [...conditions, written] : conditions.map((each) => (each === before ? written : each));
}
