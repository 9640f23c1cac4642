import type { FieldError } from "../../../core/api/field-error.ts";
import type { Draft } from "../../kube-object.ts";
import { checkNotNegative, invalid } from "../refusals.ts";

type Count = `${string}Replicas`;

interface ReplicaCounts {
  /** Of the replicas that there are. */
  readonly parts: readonly Count[];
  readonly others: readonly string[];
  /** How the ready ones are called in a refusal. */
  readonly ready: string;
}

/** The counts of those that keep replicas: none is negative, and no part is more than the whole. */
function replicaStatusRule({ parts, others, ready }: ReplicaCounts) {
  return (draft: Draft): FieldError[] => {
    const status = (draft.status ?? {}) as Readonly<Record<string, number | undefined>>;
    const { replicas = 0, readyReplicas = 0, availableReplicas = 0 } = status;
    const errors = ["replicas", ...parts, ...others].flatMap((field) =>
      checkNotNegative(`status.${field}`, status[field]),
    );
    for (const field of parts) {
      const count = status[field] ?? 0;
      if (count > replicas) errors.push(invalid(`status.${field}`, count, "cannot be greater than status.replicas"));
    }
    if (availableReplicas <= readyReplicas) return errors;
    return [...errors, invalid("status.availableReplicas", availableReplicas, `cannot be greater than ${ready}`)];
  };
}

export const validateDeploymentStatus = replicaStatusRule({
  parts: ["updatedReplicas", "readyReplicas", "availableReplicas"],
  others: ["unavailableReplicas", "terminatingReplicas", "collisionCount", "observedGeneration"],
  ready: "readyReplicas",
});

export const validateReplicaSetStatus = replicaStatusRule({
  parts: ["fullyLabeledReplicas", "readyReplicas", "availableReplicas"],
  others: ["observedGeneration", "terminatingReplicas"],
  ready: "readyReplicas",
});

export const validateStatefulSetStatus = replicaStatusRule({
  parts: ["readyReplicas", "currentReplicas", "updatedReplicas", "availableReplicas"],
  others: ["observedGeneration", "collisionCount"],
  ready: "status.readyReplicas",
});
