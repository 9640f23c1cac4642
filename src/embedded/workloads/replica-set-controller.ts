import type { ReplicaSet, ReplicaSetCondition, ReplicaSetStatus } from "kubernetes-types/apps/v1.js";
import type { Pod } from "kubernetes-types/core/v1.js";
import { ApiError } from "../api/api-error.ts";
import { labelSelectorMatch } from "../api/label-selector.ts";
import type { ControlLoop } from "../control-loop.ts";
import { isPodActive, isPodAvailable, isPodReady, isPodTerminating, untilNextAvailable } from "../pod-state.ts";
import { keyOf } from "../storage/collection.ts";
import { timestamp } from "../timestamp.ts";
import { ClaimedObjects } from "./claim-objects.ts";
import { createPod, deletePod, type PodWork, podFromTemplate } from "./create-pod.ts";
import { deletionOrder } from "./deletion-order.ts";
import { enqueueControllers } from "./enqueue-controllers.ts";
import { controllerOf, ObjectIndex, ownerGroup } from "./object-index.ts";
import { Resource, type Stored } from "./resource.ts";
import { controlLoop, type RunningPart, type WorkloadContext } from "./workload-context.ts";

/** The most pods that one look at a set creates or deletes. */
const burst = 500;

/** Keeps as many pods as each replica set asks for. */
export class ReplicaSetController implements RunningPart {
  readonly #context: WorkloadContext;
  readonly #sets: Resource<ReplicaSet>;
  readonly #setsByOwner: ObjectIndex<ReplicaSet>;
  readonly #podsByOwner: ObjectIndex<Pod>;
  readonly #claimed: ClaimedObjects<Pod>;
  readonly #work: PodWork;
  readonly #loop: ControlLoop;
  readonly #stops: (() => void)[];

  constructor(context: WorkloadContext, podsByOwner: ObjectIndex<Pod>) {
    this.#context = context;
    this.#sets = new Resource<ReplicaSet>(context.api, "apps", "replicasets");
    this.#setsByOwner = new ObjectIndex(this.#sets, ownerGroup);
    const pods = new Resource<Pod>(context.api, "", "pods");
    this.#podsByOwner = podsByOwner;
    this.#claimed = new ClaimedObjects(pods, podsByOwner);
    this.#work = { pods, recordEvent: context.recordEvent, source: "replicaset-controller" };
    this.#loop = controlLoop(context, "replica set", (key) => this.#reconcile(key));
    this.#stops = [
      () => this.#setsByOwner.stop(),
      enqueueControllers({
        dependents: pods,
        controllers: this.#sets,
        loop: this.#loop,
        onGone: (uid) => this.#claimed.forget(uid),
      }),
    ];
  }

  stop(): void {
    for (const stop of this.#stops) stop();
    this.#loop.stop();
  }

  #reconcile(key: string): void {
    const set = this.#sets.find(key);
    if (set === undefined) return;
    const pods = this.#claimed.claim(set, labelSelectorMatch(set.spec?.selector));
    const failure =
      set.metadata.deletionTimestamp === undefined ? this.#manage(set, pods.filter(isPodActive)) : undefined;
    this.#report(key, failure);
    if (failure !== undefined) throw failure.error;
  }

  /** Creates or deletes pods; what went wrong is part of the status. */
  #manage(set: Stored<ReplicaSet>, active: readonly Stored<Pod>[]): Failure | undefined {
    const missing = (set.spec?.replicas ?? 1) - active.length;
    const { podPace } = this.#context;
    try {
      if (missing > 0 && set.spec?.template !== undefined) {
        const pod = podFromTemplate(set, set.spec.template);
        for (let i = 0; i < Math.min(missing, burst); i++) {
          const wait = podPace?.wait ?? 0;
          if (wait > 0) {
            this.#loop.enqueue(keyOf(set), wait);
            break;
          }
          createPod(this.#work, set, pod);
          podPace?.count();
        }
      }
    } catch (error) {
      return { reason: "FailedCreate", error };
    }
    try {
      if (missing < 0) {
        const order = deletionOrder({ now: this.#context.clock.now(), crowdOn: this.#crowd(set) });
        const surplus = [...active].sort(order).slice(0, Math.min(-missing, burst));
        for (const pod of surplus) deletePod(this.#work, set, pod);
      }
    } catch (error) {
      return { reason: "FailedDelete", error };
    }
    return undefined;
  }

  /** Counts the active pods of all replica sets of the same owner by node. */
  #crowd(set: Stored<ReplicaSet>): (node: string) => number {
    const owner = controllerOf(set);
    const related = owner === undefined ? [set] : this.#setsByOwner.get(owner.uid);
    const counts = new Map<string, number>();
    for (const { metadata } of related) {
      for (const pod of this.#podsByOwner.get(metadata.uid).filter(isPodActive)) {
        const node = pod.spec?.nodeName ?? "";
        counts.set(node, (counts.get(node) ?? 0) + 1);
      }
    }
    return (node) => counts.get(node) ?? 0;
  }

  #report(key: string, failure: Failure | undefined): void {
    const set = this.#sets.find(key);
    if (set === undefined) return;
    const now = this.#context.clock.now();
    const matches = labelSelectorMatch(set.spec?.selector);
    const pods = this.#podsByOwner.get(set.metadata.uid).filter(({ metadata }) => matches(metadata.labels ?? {}));
    const active = pods.filter(isPodActive);
    const minReadySeconds = set.spec?.minReadySeconds ?? 0;
    const available = active.filter((pod) => isPodAvailable(pod, minReadySeconds, now)).length;
    this.#sets.writeStatus(set, {
      replicas: active.length,
      ...counted("fullyLabeledReplicas", active.filter(hasLabels(set.spec?.template?.metadata?.labels ?? {})).length),
      ...counted("readyReplicas", active.filter(isPodReady).length),
      ...counted("availableReplicas", available),
      terminatingReplicas: pods.filter(isPodTerminating).length,
      observedGeneration: set.metadata.generation ?? 0,
      ...conditionsAfter(set.status, failure, timestamp(now)),
    });
    const wait = untilNextAvailable(active, minReadySeconds, now);
    if (wait !== undefined) this.#loop.enqueue(key, wait);
  }
}

interface Failure {
  readonly reason: "FailedCreate" | "FailedDelete";
  readonly error: unknown;
}

/** A field of a status that is left out when it is zero. */
export function counted(field: string, count: number): Record<string, number> {
  return count === 0 ? {} : { [field]: count };
}

function hasLabels(labels: Readonly<Record<string, string>>): (pod: Pod) => boolean {
  const wanted = Object.entries(labels);
  return ({ metadata }) => wanted.every(([key, value]) => metadata?.labels?.[key] === value);
}

function conditionsAfter(
  status: ReplicaSetStatus | undefined,
  failure: Failure | undefined,
  now: string,
): { conditions?: ReplicaSetCondition[] } {
  if (failure === undefined || !(failure.error instanceof ApiError)) return {};
  const { reason, error } = failure;
  const before = status?.conditions?.find(({ type }) => type === "ReplicaFailure");
  const lastTransitionTime = before?.lastTransitionTime ?? now;
  return {
    conditions: [{ type: "ReplicaFailure", status: "True", lastTransitionTime, reason, message: error.message }],
  };
}
