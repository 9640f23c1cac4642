import type { Deployment, ReplicaSet } from "kubernetes-types/apps/v1.js";
import { areEqual } from "../../core/api/schema/json.ts";
import { ApiError } from "../api/api-error.ts";
import { controllerReference } from "./claim-objects.ts";
import { isNamespaceEnding } from "./create-pod.ts";
import {
  hashLabel,
  isSameTemplate,
  newReplicaSetOf,
  newSetAnnotations,
  newSetSize,
  replicasOf,
  revisionAnnotation,
  revisionOf,
  sizeAnnotations,
} from "./deployment-rules.ts";
import { hasDeadline, progressingOf, withCondition } from "./deployment-status.ts";
import { controllerOf } from "./object-index.ts";
import type { Resource, Stored } from "./resource.ts";
import { templateHash } from "./template-hash.ts";
import type { WorkloadContext } from "./workload-context.ts";

const source = "deployment-controller";

/** Makes, marks, sizes and removes the replica sets of deployments. */
export class DeploymentSets {
  readonly #context: WorkloadContext;
  readonly #deployments: Resource<Deployment>;
  readonly #sets: Resource<ReplicaSet>;

  constructor(
    context: WorkloadContext,
    { deployments, sets }: { deployments: Resource<Deployment>; sets: Resource<ReplicaSet> },
  ) {
    this.#context = context;
    this.#deployments = deployments;
    this.#sets = sets;
  }

  /** The set as it is now. */
  fresh(set: Stored<ReplicaSet>): Stored<ReplicaSet> | undefined {
    return this.#sets.current(set);
  }

  /** The set that the deployment is rolling out, if it is there, with the next revision. */
  existing(deployment: Stored<Deployment>, sets: readonly Stored<ReplicaSet>[]): Stored<ReplicaSet> | undefined {
    const found = newReplicaSetOf(deployment, sets);
    if (found === undefined) return undefined;
    const before = found.metadata.annotations ?? {};
    const annotations = newSetAnnotations(deployment, before, nextRevision(sets, found));
    const minReadySeconds = deployment.spec?.minReadySeconds ?? 0;
    const isAsWanted = areEqual(annotations, before) && (found.spec?.minReadySeconds ?? 0) === minReadySeconds;
    const set = isAsWanted
      ? found
      : this.#sets.change(found, (current) => ({
          ...current,
          metadata: { ...current.metadata, annotations },
          spec: { ...current.spec, minReadySeconds },
        }));
    const progress =
      progressingOf(deployment) === undefined ? `Found new replica set "${set.metadata.name}"` : undefined;
    this.#mark(deployment, annotations[revisionAnnotation] ?? "", { reason: "FoundNewReplicaSet", message: progress });
    return set;
  }

  create(deployment: Stored<Deployment>, sets: readonly Stored<ReplicaSet>[]): Stored<ReplicaSet> | undefined {
    const revision = nextRevision(sets, undefined);
    const body = this.#newSet(deployment, sets, revision);
    const name = body.metadata?.name ?? "";
    try {
      const created = this.#sets.create(body, deployment.metadata.namespace);
      if (replicasOf(created) > 0)
        this.#say(deployment, `Scaled up replica set ${name} from 0 to ${replicasOf(created)}`);
      const message = `Created new replica set "${name}"`;
      this.#mark(deployment, String(revision), { reason: "NewReplicaSetCreated", message });
      return created;
    } catch (error) {
      if (!(error instanceof ApiError) || isNamespaceEnding(error)) throw error;
      if (error.reason === "AlreadyExists") this.#resolveCollision(deployment, name);
      else this.#refused(deployment, `Failed to create new replica set "${name}": ${error.message}`);
      throw error;
    }
  }

  #newSet(deployment: Stored<Deployment>, sets: readonly Stored<ReplicaSet>[], revision: number): ReplicaSet {
    const { template, selector, minReadySeconds } = deployment.spec ?? {};
    const hash = templateHash(template, deployment.status?.collisionCount);
    const labels = { ...template?.metadata?.labels, [hashLabel]: hash };
    return {
      apiVersion: "apps/v1",
      kind: "ReplicaSet",
      metadata: {
        name: `${deployment.metadata.name.slice(0, 252 - hash.length)}-${hash}`,
        ownerReferences: [controllerReference(deployment)],
        labels,
        annotations: { ...newSetAnnotations(deployment, {}, revision), ...sizeAnnotations(deployment) },
      },
      spec: {
        replicas: newSetSize(deployment, sets, 0),
        ...(minReadySeconds === undefined ? {} : { minReadySeconds }),
        selector: { ...selector, matchLabels: { ...selector?.matchLabels, [hashLabel]: hash } },
        template: { ...template, metadata: { ...template?.metadata, labels } },
      },
    };
  }

  /** Another template has that hash: the next try uses another. */
  #resolveCollision(deployment: Stored<Deployment>, name: string): void {
    const set = this.#sets.find(`${deployment.metadata.namespace}/${name}`);
    const isOwn = set !== undefined && controllerOf(set)?.uid === deployment.metadata.uid;
    if (isOwn && isSameTemplate(set.spec?.template, deployment.spec?.template)) return;
    const collisionCount = (deployment.status?.collisionCount ?? 0) + 1;
    this.#deployments.writeStatus(deployment, { ...deployment.status, collisionCount });
  }

  #refused(deployment: Stored<Deployment>, message: string): void {
    const reason = "ReplicaSetCreateError";
    const { recordEvent, clock } = this.#context;
    recordEvent({ about: deployment, type: "Warning", reason, message, source });
    if (!hasDeadline(deployment)) return;
    const verdict = { type: "Progressing", status: "False", reason, message };
    const conditions = withCondition(deployment.status?.conditions ?? [], verdict, clock.now());
    this.#deployments.writeStatus(deployment, { ...deployment.status, conditions });
  }

  /** Writes the revision on the deployment, and how far it is if there is something to say. */
  #mark(
    deployment: Stored<Deployment>,
    revision: string,
    progress: { readonly reason: string; readonly message: string | undefined },
  ): void {
    const current = this.#deployments.current(deployment);
    if (current === undefined) return;
    const { reason, message } = progress;
    const hasNews = message !== undefined && hasDeadline(current);
    if (!hasNews && current.metadata.annotations?.[revisionAnnotation] === revision) return;
    const conditions = current.status?.conditions ?? [];
    const verdict = { type: "Progressing", status: "True", reason, message: message ?? "" };
    const status = hasNews
      ? { ...current.status, conditions: withCondition(conditions, verdict, this.#context.clock.now()) }
      : current.status;
    const annotations = { ...current.metadata.annotations, [revisionAnnotation]: revision };
    const metadata = { ...current.metadata, annotations };
    this.#deployments.changeStatus(current, (before) => ({ ...before, metadata, status }));
  }

  /** Whether the size of the set was another. */
  scale(deployment: Stored<Deployment>, set: Stored<ReplicaSet>, size: number): boolean {
    return replicasOf(set) !== size && this.resize(deployment, set, size);
  }

  /** Like scale, and the set notes how large the deployment is. */
  resize(deployment: Stored<Deployment>, set: Stored<ReplicaSet>, size: number): boolean {
    const before = replicasOf(set);
    this.#sets.change(set, (current) => ({
      ...current,
      metadata: {
        ...current.metadata,
        annotations: { ...current.metadata.annotations, ...sizeAnnotations(deployment) },
      },
      spec: { ...current.spec, replicas: size },
    }));
    if (before === size) return false;
    const direction = before < size ? "up" : "down";
    this.#say(deployment, `Scaled ${direction} replica set ${set.metadata.name} from ${before} to ${size}`);
    return true;
  }

  /** Forgets the oldest revisions beyond the limit. */
  cleanUp(deployment: Stored<Deployment>, old: readonly Stored<ReplicaSet>[]): void {
    const kept = deployment.spec?.revisionHistoryLimit ?? 10;
    const alive = old.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
    const surplus = alive.sort((a, b) => revisionOf(a) - revisionOf(b)).slice(0, Math.max(0, alive.length - kept));
    for (const set of surplus) {
      const isSeen = (set.metadata.generation ?? 0) <= (set.status?.observedGeneration ?? 0);
      if (isSeen && replicasOf(set) === 0 && (set.status?.replicas ?? 0) === 0) this.#sets.delete(set);
    }
  }

  #say(deployment: Stored<Deployment>, message: string): void {
    this.#context.recordEvent({ about: deployment, type: "Normal", reason: "ScalingReplicaSet", message, source });
  }
}

function nextRevision(sets: readonly Stored<ReplicaSet>[], newSet: Stored<ReplicaSet> | undefined): number {
  const old = sets.filter(({ metadata }) => metadata.uid !== newSet?.metadata.uid);
  return Math.max(0, ...old.map(revisionOf)) + 1;
}
