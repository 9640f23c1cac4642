import type { Deployment, ReplicaSet } from "kubernetes-types/apps/v1.js";
import type { PodTemplateSpec } from "kubernetes-types/core/v1.js";
import { areEqual } from "../../core/api/schema/json.ts";
import type { Stored } from "./resource.ts";
import { scaledValue } from "./scaled-value.ts";

export const hashLabel = "pod-template-hash";
const prefix = "deployment.kubernetes.io/";
export const revisionAnnotation = `${prefix}revision`;
const historyAnnotation = `${prefix}revision-history`;
const desiredAnnotation = `${prefix}desired-replicas`;
const maxAnnotation = `${prefix}max-replicas`;
const longestHistory = 2000;

const ownAnnotations = new Set([
  "kubectl.kubernetes.io/last-applied-configuration",
  revisionAnnotation,
  historyAnnotation,
  desiredAnnotation,
  maxAnnotation,
  "deprecated.deployment.rollback.to",
]);

export type Annotations = Readonly<Record<string, string>>;

export function replicasOf({ spec }: Deployment | ReplicaSet): number {
  return spec?.replicas ?? 1;
}

export function totalReplicas(sets: readonly ReplicaSet[]): number {
  return sets.reduce((sum, set) => sum + replicasOf(set), 0);
}

/** How many pods a rollout may have too many and too few; never both none, for it could not go on. */
export function rolloutBounds(deployment: Deployment): { maxSurge: number; maxUnavailable: number } {
  const { strategy } = deployment.spec ?? {};
  const replicas = replicasOf(deployment);
  if (strategy?.type !== "RollingUpdate") return { maxSurge: 0, maxUnavailable: 0 };
  const maxSurge = scaledValue(strategy.rollingUpdate?.maxSurge, replicas, "up");
  const unavailable = scaledValue(strategy.rollingUpdate?.maxUnavailable, replicas, "down");
  const maxUnavailable = Math.min(maxSurge === 0 && unavailable === 0 ? 1 : unavailable, replicas);
  return { maxSurge, maxUnavailable };
}

/** The oldest set with the template of the deployment. */
export function newReplicaSetOf(
  deployment: Deployment,
  sets: readonly Stored<ReplicaSet>[],
): Stored<ReplicaSet> | undefined {
  const template = deployment.spec?.template;
  return [...sets].sort(byAge).find(({ spec }) => isSameTemplate(spec?.template, template));
}

export function isSameTemplate(a: PodTemplateSpec | undefined, b: PodTemplateSpec | undefined): boolean {
  return areEqual(withoutHash(a), withoutHash(b));
}

function withoutHash(template: PodTemplateSpec | undefined): object {
  const { [hashLabel]: _, ...labels } = template?.metadata?.labels ?? {};
  return { spec: template?.spec, metadata: { ...template?.metadata, labels } };
}

/** Oldest first. */
export function byAge(a: Stored<ReplicaSet>, b: Stored<ReplicaSet>): number {
  const [first, second] = [a.metadata.creationTimestamp, b.metadata.creationTimestamp];
  if (first !== second) return first < second ? -1 : 1;
  return a.metadata.name < b.metadata.name ? -1 : 1;
}

export function revisionOf({ metadata }: Stored<ReplicaSet>): number {
  const revision = Number.parseInt(metadata.annotations?.[revisionAnnotation] ?? "0", 10);
  return Number.isNaN(revision) ? 0 : revision;
}

/** How many pods the new set should have now, given all sets and what it has. */
export function newSetSize(deployment: Deployment, sets: readonly ReplicaSet[], current: number): number {
  const replicas = replicasOf(deployment);
  if (deployment.spec?.strategy?.type === "Recreate") return replicas;
  const room = replicas + rolloutBounds(deployment).maxSurge - totalReplicas(sets);
  return room <= 0 ? current : current + Math.min(room, replicas - current);
}

/** What the new set carries: what the deployment carries, its revision, and the revisions that it had before. */
export function newSetAnnotations(deployment: Deployment, before: Annotations, revision: number): Annotations {
  const copied = Object.entries(deployment.metadata?.annotations ?? {}).filter(([key]) => !ownAnnotations.has(key));
  const annotations: Record<string, string> = { ...before, ...Object.fromEntries(copied) };
  const old = before[revisionAnnotation];
  if (Number(old ?? 0) >= revision) return annotations;
  annotations[revisionAnnotation] = String(revision);
  if (old !== undefined) annotations[historyAnnotation] = withRevision(before[historyAnnotation], old);
  return annotations;
}

function withRevision(history: string | undefined, revision: string): string {
  const revisions = [...(history ? history.split(",") : []), revision];
  while (revisions.join(",").length > longestHistory) revisions.shift();
  return revisions.join(",");
}

export function sizeAnnotations(deployment: Deployment): Annotations {
  const replicas = replicasOf(deployment);
  return {
    [desiredAnnotation]: String(replicas),
    [maxAnnotation]: String(replicas + rolloutBounds(deployment).maxSurge),
  };
}

/** Whether the deployment was scaled since its sets were last sized. */
export function isScaling(deployment: Deployment, sets: readonly Stored<ReplicaSet>[]): boolean {
  return sets.some((set) => {
    const desired = set.metadata.annotations?.[desiredAnnotation];
    return replicasOf(set) > 0 && desired !== undefined && Number(desired) !== replicasOf(deployment);
  });
}

/** Whether the new set has all pods, and all of them available. */
export function isSaturated(deployment: Deployment, set: Stored<ReplicaSet> | undefined): boolean {
  if (set === undefined) return false;
  const replicas = replicasOf(deployment);
  return (
    replicasOf(set) === replicas &&
    Number(set.metadata.annotations?.[desiredAnnotation]) === replicas &&
    (set.status?.availableReplicas ?? 0) === replicas
  );
}

/** New sizes for the sets in the middle of a rollout, each in proportion to what it has; the largest gets the rest. */
export function proportionalSizes(
  deployment: Deployment,
  sets: readonly Stored<ReplicaSet>[],
): readonly (readonly [set: Stored<ReplicaSet>, size: number])[] {
  const replicas = replicasOf(deployment);
  const allowed = replicas === 0 ? 0 : replicas + rolloutBounds(deployment).maxSurge;
  const toAdd = allowed - totalReplicas(sets);
  const direction = toAdd > 0 ? -1 : 1;
  const ordered = [...sets].sort((a, b) => replicasOf(b) - replicasOf(a) || direction * byAge(a, b));
  let added = 0;
  const sizes = ordered.map((set) => {
    const share = toAdd === 0 || toAdd === added ? 0 : shareOf(deployment, set);
    const change = toAdd > 0 ? Math.min(share, toAdd - added) : Math.max(share, toAdd - added);
    added += change;
    return replicasOf(set) + change;
  });
  return ordered.map((set, i) => [set, Math.max(0, (sizes[i] ?? 0) + (i === 0 ? toAdd - added : 0))] as const);
}

function shareOf(deployment: Deployment, set: Stored<ReplicaSet>): number {
  const replicas = replicasOf(deployment);
  if (replicas === 0) return -replicasOf(set);
  const most = replicas + rolloutBounds(deployment).maxSurge;
  const before = Number(set.metadata.annotations?.[maxAnnotation]) || (deployment.status?.replicas ?? 0);
  return before === 0 ? 0 : Math.round((replicasOf(set) * most) / before) - replicasOf(set);
}
