import type { Deployment, DeploymentCondition, DeploymentStatus, ReplicaSet } from "kubernetes-types/apps/v1.js";
import { timestamp } from "../timestamp.ts";
import { replicasOf, rolloutBounds, totalReplicas } from "./deployment-rules.ts";
import { counted } from "./replica-set-controller.ts";
import type { Stored } from "./resource.ts";

type Verdict = Pick<DeploymentCondition, "type" | "status" | "reason" | "message">;
type Conditions = readonly DeploymentCondition[];

export interface Rollout {
  readonly deployment: Stored<Deployment>;
  /** All replica sets of the deployment, the new one too. */
  readonly sets: readonly Stored<ReplicaSet>[];
  readonly newSet: Stored<ReplicaSet> | undefined;
  readonly now: number;
}

export function progressingOf({ status }: Deployment): DeploymentCondition | undefined {
  return status?.conditions?.find(({ type }) => type === "Progressing");
}

export function hasDeadline({ spec }: Deployment): boolean {
  return spec?.progressDeadlineSeconds !== undefined && spec.progressDeadlineSeconds !== 2 ** 31 - 1;
}

/** A condition whose status and reason are as before is left as it is. */
export function withCondition(conditions: Conditions, verdict: Verdict, now: number): DeploymentCondition[] {
  const before = conditions.find(({ type }) => type === verdict.type);
  if (before?.status === verdict.status && before.reason === verdict.reason) return [...conditions];
  const others = conditions.filter(({ type }) => type !== verdict.type);
  const time = timestamp(now);
  const lastTransitionTime = before?.status === verdict.status ? (before.lastTransitionTime ?? time) : time;
  return [...others, { ...verdict, lastUpdateTime: time, lastTransitionTime }];
}

/** The counts, and whether enough pods are available. */
export function countedStatus({ deployment, sets, newSet, now }: Rollout): DeploymentStatus {
  const sum = (field: "replicas" | "readyReplicas" | "availableReplicas") =>
    sets.reduce((total, { status }) => total + (status?.[field] ?? 0), 0);
  const available = sum("availableReplicas");
  const isAvailable = available >= replicasOf(deployment) - rolloutBounds(deployment).maxUnavailable;
  const availability: Verdict = isAvailable
    ? {
        type: "Available",
        status: "True",
        reason: "MinimumReplicasAvailable",
        message: "Deployment has minimum availability.",
      }
    : {
        type: "Available",
        status: "False",
        reason: "MinimumReplicasUnavailable",
        message: "Deployment does not have minimum availability.",
      };
  const { collisionCount, conditions = [] } = deployment.status ?? {};
  return {
    observedGeneration: deployment.metadata.generation ?? 0,
    ...counted("replicas", sum("replicas")),
    ...counted("updatedReplicas", newSet?.status?.replicas ?? 0),
    ...counted("readyReplicas", sum("readyReplicas")),
    ...counted("availableReplicas", available),
    ...counted("unavailableReplicas", Math.max(0, totalReplicas(sets) - available)),
    ...terminating(sets),
    ...(collisionCount === undefined ? {} : { collisionCount }),
    conditions: withCondition(conditions, availability, now),
  };
}

/** Unknown as long as one of the sets has not said. */
function terminating(sets: readonly ReplicaSet[]): { terminatingReplicas?: number } {
  let total = 0;
  for (const { status } of sets) {
    const { terminatingReplicas } = (status ?? {}) as { terminatingReplicas?: number };
    if (terminatingReplicas === undefined) return {};
    total += terminatingReplicas;
  }
  return { terminatingReplicas: total };
}

/** The counts, and how the rollout goes. */
export function rolloutStatus(rollout: Rollout): DeploymentStatus {
  const status = countedStatus(rollout);
  const failure = [rollout.newSet, ...rollout.sets]
    .flatMap((set) => set?.status?.conditions ?? [])
    .find(({ type }) => type === "ReplicaFailure");
  const rest = (status.conditions ?? []).filter(({ type }) => type !== "ReplicaFailure");
  const conditions = withProgress(rollout, { ...status, conditions: rest });
  if (failure === undefined) return { ...status, conditions };
  const kept = (status.conditions ?? []).filter(({ type }) => type === "ReplicaFailure");
  const { reason = "", message = "" } = failure;
  const verdict = { type: "ReplicaFailure", status: failure.status, reason, message };
  return { ...status, conditions: withCondition([...conditions, ...kept], verdict, rollout.now) };
}

function withProgress({ deployment, newSet, now }: Rollout, status: DeploymentStatus): DeploymentCondition[] {
  const conditions = status.conditions ?? [];
  const others = conditions.filter(({ type }) => type !== "Progressing");
  if (!hasDeadline(deployment)) return others;
  const before = progressingOf(deployment);
  const isDone = before?.reason === "NewReplicaSetAvailable" && status.replicas === status.updatedReplicas;
  if (isDone) return [...conditions];
  const subject =
    newSet === undefined ? `Deployment "${deployment.metadata.name}"` : `ReplicaSet "${newSet.metadata.name}"`;
  const verdict = (result: string, reason: string, said: string): Verdict => ({
    type: "Progressing",
    status: result,
    reason,
    message: `${subject} ${said}.`,
  });
  if (isComplete(deployment, status)) {
    return withCondition(conditions, verdict("True", "NewReplicaSetAvailable", "has successfully progressed"), now);
  }
  if (hasProgressed(deployment.status ?? {}, status)) {
    // Progress moves the time of the last update even though the reason stays.
    const time = timestamp(now);
    const lastTransitionTime = before?.status === "True" ? (before.lastTransitionTime ?? time) : time;
    const progressing = verdict("True", "ReplicaSetUpdated", "is progressing");
    return [...others, { ...progressing, lastUpdateTime: time, lastTransitionTime }];
  }
  if (isLate(deployment, now)) {
    return withCondition(conditions, verdict("False", "ProgressDeadlineExceeded", "has timed out progressing"), now);
  }
  return [...conditions];
}

export function isComplete(deployment: Stored<Deployment>, status: DeploymentStatus): boolean {
  const replicas = replicasOf(deployment);
  return (
    (status.updatedReplicas ?? 0) === replicas &&
    (status.replicas ?? 0) === replicas &&
    (status.availableReplicas ?? 0) === replicas &&
    (status.observedGeneration ?? 0) >= (deployment.metadata.generation ?? 0)
  );
}

function hasProgressed(before: DeploymentStatus, now: DeploymentStatus): boolean {
  const old = ({ replicas = 0, updatedReplicas = 0 }: DeploymentStatus) => replicas - updatedReplicas;
  return (
    (now.updatedReplicas ?? 0) > (before.updatedReplicas ?? 0) ||
    old(now) < old(before) ||
    (now.readyReplicas ?? 0) > (before.readyReplicas ?? 0) ||
    (now.availableReplicas ?? 0) > (before.availableReplicas ?? 0)
  );
}

function isLate(deployment: Deployment, now: number): boolean {
  const progressing = progressingOf(deployment);
  if (progressing === undefined || progressing.reason === "NewReplicaSetAvailable") return false;
  return progressing.reason === "ProgressDeadlineExceeded" || deadlineOf(deployment, progressing) < now;
}

function deadlineOf({ spec }: Deployment, { lastUpdateTime }: DeploymentCondition): number {
  return Date.parse(lastUpdateTime ?? "") + (spec?.progressDeadlineSeconds ?? 0) * 1000;
}

/** Milliseconds until a rollout that does not go on is late. */
export function untilLate(deployment: Stored<Deployment>, now: number): number | undefined {
  const progressing = progressingOf(deployment);
  if (!hasDeadline(deployment) || progressing === undefined) return undefined;
  if (progressing.reason === "ProgressDeadlineExceeded" || progressing.reason === "NewReplicaSetAvailable")
    return undefined;
  return Math.max(0, deadlineOf(deployment, progressing) - now) + 1000;
}
