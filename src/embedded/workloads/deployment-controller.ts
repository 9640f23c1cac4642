import type { Deployment, ReplicaSet } from "kubernetes-types/apps/v1.js";
import type { Pod } from "kubernetes-types/core/v1.js";
import { labelSelectorMatch } from "../api/label-selector.ts";
import type { ControlLoop } from "../control-loop.ts";
import { isPodFinished } from "../pod-state.ts";
import { ClaimedObjects } from "./claim-objects.ts";
import {
  byAge,
  isSaturated,
  isScaling,
  newReplicaSetOf,
  newSetSize,
  proportionalSizes,
  replicasOf,
  rolloutBounds,
  totalReplicas,
} from "./deployment-rules.ts";
import { DeploymentSets } from "./deployment-sets.ts";
import {
  countedStatus,
  hasDeadline,
  isComplete,
  progressingOf,
  type Rollout,
  rolloutStatus,
  untilLate,
  withCondition,
} from "./deployment-status.ts";
import { enqueueControllers } from "./enqueue-controllers.ts";
import { controllerOf, ObjectIndex, ownerGroup } from "./object-index.ts";
import { Resource, type Stored } from "./resource.ts";
import { controlLoop, type RunningPart, type WorkloadContext } from "./workload-context.ts";

/** Rolls deployments out over their replica sets. */
export class DeploymentController implements RunningPart {
  readonly #context: WorkloadContext;
  readonly #deployments: Resource<Deployment>;
  readonly #sets: DeploymentSets;
  readonly #claimed: ClaimedObjects<ReplicaSet>;
  readonly #podsByOwner: ObjectIndex<Pod>;
  readonly #loop: ControlLoop;
  readonly #stops: (() => void)[];

  constructor(context: WorkloadContext, podsByOwner: ObjectIndex<Pod>) {
    this.#context = context;
    this.#podsByOwner = podsByOwner;
    this.#deployments = new Resource<Deployment>(context.api, "apps", "deployments");
    const sets = new Resource<ReplicaSet>(context.api, "apps", "replicasets");
    const setsByOwner = new ObjectIndex(sets, ownerGroup);
    this.#claimed = new ClaimedObjects(sets, setsByOwner);
    this.#sets = new DeploymentSets(context, { deployments: this.#deployments, sets });
    this.#loop = controlLoop(context, "deployment", (key) => this.#reconcile(key));
    this.#stops = [
      () => setsByOwner.stop(),
      enqueueControllers({
        dependents: sets,
        controllers: this.#deployments,
        loop: this.#loop,
        onGone: (uid) => this.#claimed.forget(uid),
      }),
      this.#watchLastPods(new Resource<Pod>(context.api, "", "pods"), sets),
    ];
  }

  stop(): void {
    for (const stop of this.#stops) stop();
    this.#loop.stop();
  }

  /** A deployment that recreates goes on when the last old pod is gone, which no replica set tells it. */
  #watchLastPods(pods: Resource<Pod>, sets: Resource<ReplicaSet>): () => void {
    return pods.subscribe(({ type, object }) => {
      const owner = type === "DELETED" || isPodFinished(object) ? controllerOf(object) : undefined;
      if (owner?.kind !== "ReplicaSet") return;
      const set = sets.find(`${object.metadata.namespace}/${owner.name}`);
      const deployment = set === undefined ? undefined : controllerOf(set);
      if (deployment?.kind !== "Deployment") return;
      const key = `${object.metadata.namespace}/${deployment.name}`;
      if (this.#deployments.find(key)?.spec?.strategy?.type === "Recreate") this.#loop.enqueue(key);
    });
  }

  #reconcile(key: string): void {
    const found = this.#deployments.find(key);
    if (found === undefined) return;
    const sets = this.#claimed.claim(found, labelSelectorMatch(found.spec?.selector));
    if (found.metadata.deletionTimestamp !== undefined) {
      const rollout = this.#rollout(found, sets, newReplicaSetOf(found, sets));
      this.#deployments.writeStatus(found, countedStatus(rollout));
      return;
    }
    const deployment = this.#markPaused(found);
    if (deployment.spec?.paused === true || isScaling(deployment, sets)) this.#resize(deployment, sets);
    else if (deployment.spec?.strategy?.type === "Recreate") this.#recreate(deployment, sets);
    else this.#roll(deployment, sets);
    const after = this.#deployments.find(key);
    const wait = after === undefined ? undefined : untilLate(after, this.#context.clock.now());
    if (wait !== undefined && after?.spec?.paused !== true) this.#loop.enqueue(key, wait);
  }

  #rollout(
    deployment: Stored<Deployment>,
    sets: readonly Stored<ReplicaSet>[],
    newSet: Stored<ReplicaSet> | undefined,
  ): Rollout {
    const others = sets.filter(({ metadata }) => metadata.uid !== newSet?.metadata.uid);
    const all = [...others, ...(newSet === undefined ? [] : [newSet])];
    const fresh = all.map((set) => this.#sets.fresh(set)).filter((set) => set !== undefined);
    const current = this.#deployments.current(deployment) ?? deployment;
    return {
      deployment: current,
      sets: fresh,
      newSet: fresh.find(({ metadata }) => metadata.uid === newSet?.metadata.uid),
      now: this.#context.clock.now(),
    };
  }

  /** A pause is not a lack of progress: the clock of the deadline starts again when it ends. */
  #markPaused(deployment: Stored<Deployment>): Stored<Deployment> {
    const progressing = progressingOf(deployment);
    if (!hasDeadline(deployment) || progressing?.reason === "ProgressDeadlineExceeded") return deployment;
    const isPaused = deployment.spec?.paused === true;
    if (isPaused === (progressing?.reason === "DeploymentPaused")) return deployment;
    const verdict = {
      type: "Progressing",
      status: "Unknown",
      reason: isPaused ? "DeploymentPaused" : "DeploymentResumed",
      message: isPaused ? "Deployment is paused" : "Deployment is resumed",
    };
    const { status } = deployment;
    const conditions = withCondition(status?.conditions ?? [], verdict, this.#context.clock.now());
    return this.#deployments.writeStatus(deployment, { ...status, conditions });
  }

  /** Sizes sets without rolling out anything. */
  #resize(deployment: Stored<Deployment>, sets: readonly Stored<ReplicaSet>[]): void {
    const newSet = this.#sets.existing(deployment, sets);
    const old = without(sets, newSet);
    const active = sets.filter((set) => replicasOf(set) > 0);
    if (active.length <= 1) {
      const only = active[0] ?? newSet ?? [...old].sort(byAge).at(-1);
      if (only !== undefined) this.#sets.scale(deployment, only, replicasOf(deployment));
    } else if (isSaturated(deployment, newSet)) {
      for (const set of old) this.#sets.scale(deployment, set, 0);
    } else if (deployment.spec?.strategy?.type !== "Recreate") {
      for (const [set, size] of proportionalSizes(deployment, active)) this.#sets.resize(deployment, set, size);
    }
    if (deployment.spec?.paused === true) this.#sets.cleanUp(deployment, old);
    const rollout = this.#rollout(deployment, sets, newSet);
    this.#deployments.writeStatus(rollout.deployment, countedStatus(rollout));
  }

  #roll(deployment: Stored<Deployment>, sets: readonly Stored<ReplicaSet>[]): void {
    const newSet = this.#sets.existing(deployment, sets) ?? this.#sets.create(deployment, sets);
    if (newSet === undefined) return;
    const old = without(sets, newSet);
    const all = [...old, newSet];
    const size = Math.min(newSetSize(deployment, all, replicasOf(newSet)), replicasOf(deployment));
    const hasScaled = this.#sets.scale(deployment, newSet, size) || this.#scaleDown(deployment, old, newSet);
    if (!hasScaled) this.#cleanUpWhenComplete(deployment, old);
    this.#writeRollout(this.#rollout(deployment, sets, newSet));
  }

  /** Old pods go as far as enough others are available, those that are not healthy first. */
  #scaleDown(deployment: Stored<Deployment>, old: readonly Stored<ReplicaSet>[], newSet: Stored<ReplicaSet>): boolean {
    const active = old.filter((set) => replicasOf(set) > 0).sort(byAge);
    if (active.length === 0) return false;
    const least = replicasOf(deployment) - rolloutBounds(deployment).maxUnavailable;
    const newUnavailable = replicasOf(newSet) - availableIn(newSet);
    let surplus = totalReplicas([...active, newSet]) - least - newUnavailable;
    if (surplus <= 0) return false;
    const sizes = new Map(active.map((set) => [set, replicasOf(set)]));
    for (const set of active) {
      const unhealthy = Math.max(0, Math.min(surplus, replicasOf(set) - availableIn(set)));
      sizes.set(set, replicasOf(set) - unhealthy);
      surplus -= unhealthy;
    }
    let spare = [...active, newSet].reduce((sum, set) => sum + availableIn(set), 0) - least;
    for (const set of active) {
      const healthy = Math.min(sizes.get(set) ?? 0, Math.max(0, spare));
      sizes.set(set, (sizes.get(set) ?? 0) - healthy);
      spare -= healthy;
    }
    const results = [...sizes].map(([set, size]) => this.#sets.scale(deployment, set, size));
    return results.includes(true);
  }

  #recreate(deployment: Stored<Deployment>, sets: readonly Stored<ReplicaSet>[]): void {
    const existing = this.#sets.existing(deployment, sets);
    const old = without(sets, existing);
    const results = old.map((set) => this.#sets.scale(deployment, set, 0));
    if (results.includes(true) || this.#areOldPodsRunning(old)) {
      this.#writeRollout(this.#rollout(deployment, sets, existing));
      return;
    }
    const newSet = existing ?? this.#sets.create(deployment, sets);
    if (newSet === undefined) return;
    this.#sets.scale(deployment, newSet, replicasOf(deployment));
    this.#cleanUpWhenComplete(deployment, old);
    this.#writeRollout(this.#rollout(deployment, sets, newSet));
  }

  #areOldPodsRunning(old: readonly Stored<ReplicaSet>[]): boolean {
    return old.some(
      ({ metadata, status }) =>
        (status?.replicas ?? 0) > 0 || this.#podsByOwner.get(metadata.uid).some((pod) => !isPodFinished(pod)),
    );
  }

  #cleanUpWhenComplete(deployment: Stored<Deployment>, old: readonly Stored<ReplicaSet>[]): void {
    if (isComplete(deployment, deployment.status ?? {})) this.#sets.cleanUp(deployment, old);
  }

  #writeRollout(rollout: Rollout): void {
    this.#deployments.writeStatus(rollout.deployment, rolloutStatus(rollout));
  }
}

function availableIn({ status }: ReplicaSet): number {
  return status?.availableReplicas ?? 0;
}

function without(sets: readonly Stored<ReplicaSet>[], newSet: Stored<ReplicaSet> | undefined): Stored<ReplicaSet>[] {
  return sets.filter(({ metadata }) => metadata.uid !== newSet?.metadata.uid);
}
