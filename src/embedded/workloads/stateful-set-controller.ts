import type { ControllerRevision, StatefulSet } from "kubernetes-types/apps/v1.js";
import type { PersistentVolumeClaim, Pod } from "kubernetes-types/core/v1.js";
import { ApiError } from "../api/api-error.ts";
import { labelSelectorMatch } from "../api/label-selector.ts";
import type { ControlLoop } from "../control-loop.ts";
import { isPodFinished, untilNextAvailable } from "../pod-state.ts";
import { keyOf } from "../storage/collection.ts";
import { ClaimedObjects } from "./claim-objects.ts";
import { enqueueControllers } from "./enqueue-controllers.ts";
import type { ObjectIndex } from "./object-index.ts";
import { counted } from "./replica-set-controller.ts";
import { Resource, type Stored } from "./resource.ts";
import { RevisionHistory, templateIn } from "./revision-history.ts";
import { scaledValue } from "./scaled-value.ts";
import {
  claimFor,
  claimName,
  claimTemplates,
  isRunningAndAvailable,
  isRunningAndReady,
  ordinalOf,
  revisionIn,
  startOrdinal,
  statefulPod,
} from "./stateful-pods.ts";
import { controlLoop, type RunningPart, type WorkloadContext } from "./workload-context.ts";

const source = "statefulset-controller";

interface Revisions {
  readonly current: Stored<ControllerRevision>;
  readonly update: Stored<ControllerRevision>;
}

/** Keeps the numbered pods of stateful sets, one after the other or all at once. */
export class StatefulSetController implements RunningPart {
  readonly #context: WorkloadContext;
  readonly #sets: Resource<StatefulSet>;
  readonly #pods: Resource<Pod>;
  readonly #claims: Resource<PersistentVolumeClaim>;
  readonly #claimed: ClaimedObjects<Pod>;
  readonly #history: RevisionHistory;
  readonly #loop: ControlLoop;
  readonly #stops: (() => void)[];

  constructor(context: WorkloadContext, podsByOwner: ObjectIndex<Pod>) {
    this.#context = context;
    this.#sets = new Resource<StatefulSet>(context.api, "apps", "statefulsets");
    this.#pods = new Resource<Pod>(context.api, "", "pods");
    this.#claims = new Resource<PersistentVolumeClaim>(context.api, "", "persistentvolumeclaims");
    this.#claimed = new ClaimedObjects(this.#pods, podsByOwner);
    this.#history = new RevisionHistory(context.api, "controller.kubernetes.io/hash");
    this.#loop = controlLoop(context, "stateful set", (key) => this.#reconcile(key));
    this.#stops = [
      () => this.#history.stop(),
      enqueueControllers({
        dependents: this.#pods,
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
    const revisions = this.#revisionsOf(set);
    if (revisions === undefined) return;
    if (set.metadata.deletionTimestamp === undefined) this.#advance(set, revisions);
    this.#report(set, revisions);
  }

  #revisionsOf(set: Stored<StatefulSet>): Revisions | undefined {
    const collisionCount = set.status?.collisionCount ?? 0;
    const { apiVersion, kind, metadata } = set;
    const template = set.spec?.template ?? {};
    const update = this.#history.newest({ apiVersion, kind, metadata, template, collisionCount });
    if (update === "collision") {
      this.#sets.writeStatus(set, {
        ...set.status,
        replicas: set.status?.replicas ?? 0,
        collisionCount: collisionCount + 1,
      });
      return undefined;
    }
    const past = this.#history.of(metadata.uid);
    const current = past.find((revision) => revision.metadata.name === set.status?.currentRevision) ?? update;
    return { current, update };
  }

  #podsOf(set: Stored<StatefulSet>): Map<number, Stored<Pod>> {
    const pods = new Map<number, Stored<Pod>>();
    for (const pod of this.#claimed.claim(set, labelSelectorMatch(set.spec?.selector))) {
      const ordinal = ordinalOf(set, pod);
      if (ordinal !== undefined) pods.set(ordinal, pod);
    }
    return pods;
  }

  /** Makes what is missing, then removes what is too much, then replaces what is old. */
  #advance(set: Stored<StatefulSet>, revisions: Revisions): void {
    const isOrdered = set.spec?.podManagementPolicy !== "Parallel";
    const first = startOrdinal(set);
    const end = first + (set.spec?.replicas ?? 1);
    const pods = this.#podsOf(set);
    for (let ordinal = first; ordinal < end; ordinal++) {
      const mustWait = this.#process(set, { ordinal, pod: pods.get(ordinal), revisions });
      if (mustWait && isOrdered) return;
    }
    const condemned = [...pods].filter(([ordinal]) => ordinal < first || ordinal >= end).sort(([a], [b]) => b - a);
    for (const [, pod] of condemned) {
      if (pod.metadata.deletionTimestamp === undefined) this.#delete(set, pod);
      if (isOrdered) return;
    }
    this.#removeClaims(set, end);
    if (set.spec?.updateStrategy?.type !== "OnDelete") this.#update(set, revisions);
  }

  /** Whether the next pod has to wait for this one. */
  #process(
    set: Stored<StatefulSet>,
    at: { readonly ordinal: number; readonly pod: Stored<Pod> | undefined; readonly revisions: Revisions },
  ): boolean {
    const { ordinal, pod, revisions } = at;
    if (pod === undefined) {
      this.#create(set, ordinal, revisions);
      return true;
    }
    if (isPodFinished(pod)) {
      if (pod.metadata.deletionTimestamp === undefined) this.#delete(set, pod);
      return true;
    }
    if (pod.status?.phase === "Pending") this.#createClaims(set, ordinal);
    const now = this.#context.clock.now();
    return (
      pod.metadata.deletionTimestamp !== undefined || !isRunningAndAvailable(pod, set.spec?.minReadySeconds ?? 0, now)
    );
  }

  #create(set: Stored<StatefulSet>, ordinal: number, { current, update }: Revisions): void {
    const { rollingUpdate, type } = set.spec?.updateStrategy ?? {};
    const kept = rollingUpdate === undefined ? (set.status?.currentReplicas ?? 0) : (rollingUpdate.partition ?? 0);
    const isOld = type === "RollingUpdate" && ordinal < startOrdinal(set) + kept;
    const revision = isOld ? current : update;
    const pod = statefulPod(set, ordinal, { template: templateIn(revision), revision: revision.metadata.name });
    const name = pod.metadata?.name ?? "";
    try {
      this.#createClaims(set, ordinal);
      this.#pods.create(pod, set.metadata.namespace);
      this.#say(set, "SuccessfulCreate", `Create Pod ${name} in StatefulSet ${set.metadata.name} successful`);
    } catch (error) {
      if (error instanceof ApiError) {
        const message = `Create Pod ${name} in StatefulSet ${set.metadata.name} failed error: ${error.message}`;
        this.#say(set, "FailedCreate", message);
      }
      throw error;
    }
  }

  #createClaims(set: Stored<StatefulSet>, ordinal: number): void {
    const { namespace, name } = set.metadata;
    for (const template of claimTemplates(set)) {
      const claim = claimName(set, template, ordinal);
      if (this.#claims.find(`${namespace}/${claim}`) !== undefined) continue;
      this.#claims.create(claimFor(set, template, ordinal), namespace);
      const message = `Create Claim ${claim} Pod ${name}-${ordinal} in StatefulSet ${name} success`;
      this.#say(set, "SuccessfulCreate", message);
    }
  }

  /** Claims of pods that were scaled away go if the set says so. */
  #removeClaims(set: Stored<StatefulSet>, end: number): void {
    if (set.spec?.persistentVolumeClaimRetentionPolicy?.whenScaled !== "Delete") return;
    const { namespace } = set.metadata;
    for (const template of claimTemplates(set)) {
      for (let ordinal = end; ; ordinal++) {
        const claim = this.#claims.find(`${namespace}/${claimName(set, template, ordinal)}`);
        if (claim === undefined) break;
        this.#claims.delete(claim);
      }
    }
  }

  #delete(set: Stored<StatefulSet>, pod: Stored<Pod>): void {
    this.#pods.delete(pod);
    const message = `Delete Pod ${pod.metadata.name} in StatefulSet ${set.metadata.name} successful`;
    this.#say(set, "SuccessfulDelete", message);
  }

  /** Replaces pods of old revisions from the highest number down to the partition. */
  #update(set: Stored<StatefulSet>, { update }: Revisions): void {
    const { rollingUpdate } = set.spec?.updateStrategy ?? {};
    const { maxUnavailable } = (rollingUpdate ?? {}) as { maxUnavailable?: number | string };
    const replicas = set.spec?.replicas ?? 1;
    const first = startOrdinal(set);
    const pods = this.#podsOf(set);
    const now = this.#context.clock.now();
    const isUp = (pod: Stored<Pod> | undefined) =>
      pod !== undefined &&
      pod.metadata.deletionTimestamp === undefined &&
      isRunningAndAvailable(pod, set.spec?.minReadySeconds ?? 0, now);
    let allowed = Math.max(1, scaledValue(maxUnavailable ?? 1, replicas, "up"));
    for (let ordinal = first; ordinal < first + replicas; ordinal++) if (!isUp(pods.get(ordinal))) allowed--;
    for (let ordinal = first + replicas - 1; ordinal >= first + (rollingUpdate?.partition ?? 0); ordinal--) {
      const pod = pods.get(ordinal);
      if (pod === undefined || pod.metadata.deletionTimestamp !== undefined) continue;
      if (revisionIn(pod) === update.metadata.name) continue;
      if (isUp(pod) && allowed-- <= 0) return;
      this.#delete(set, pod);
    }
  }

  #report(set: Stored<StatefulSet>, { current, update }: Revisions): void {
    const now = this.#context.clock.now();
    const minReadySeconds = set.spec?.minReadySeconds ?? 0;
    const pods = [...this.#podsOf(set).values()];
    const staying = pods.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
    const updated = staying.filter((pod) => revisionIn(pod) === update.metadata.name).length;
    const ready = pods.filter(isRunningAndReady).length;
    const replicas = set.spec?.replicas ?? 1;
    const isDone =
      set.spec?.updateStrategy?.type === "RollingUpdate" &&
      [updated, ready, pods.length].every((count) => count === replicas);
    const inCurrent = staying.filter((pod) => revisionIn(pod) === current.metadata.name).length;
    this.#sets.writeStatus(this.#sets.current(set) ?? set, {
      observedGeneration: set.metadata.generation ?? 0,
      replicas: pods.length,
      ...counted("readyReplicas", ready),
      ...counted("currentReplicas", isDone ? updated : inCurrent),
      ...counted("updatedReplicas", updated),
      currentRevision: isDone ? update.metadata.name : current.metadata.name,
      updateRevision: update.metadata.name,
      collisionCount: set.status?.collisionCount ?? 0,
      availableReplicas: pods.filter((pod) => isRunningAndAvailable(pod, minReadySeconds, now)).length,
    });
    const used = new Set([current.metadata.name, update.metadata.name, ...pods.map(revisionIn)]);
    const limit = set.spec?.revisionHistoryLimit ?? 10;
    this.#history.cleanUp(set.metadata.uid, limit, ({ metadata }) => used.has(metadata.name));
    const wait = untilNextAvailable(staying, minReadySeconds, now);
    if (wait !== undefined) this.#loop.enqueue(keyOf(set), wait);
  }

  #say(about: Stored<StatefulSet>, reason: string, message: string): void {
    const type = reason.startsWith("Failed") ? "Warning" : "Normal";
    this.#context.recordEvent({ about, type, reason, message, source });
  }
}
