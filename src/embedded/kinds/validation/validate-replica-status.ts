import type { FieldError } from "../../../core/api/field-error.ts";
import type { Draft } from "../../kube-object.ts";
import { checkNotNegative, invalid } from "../refusals.ts";

const counts = [
  "replicas",
  "fullyLabeledReplicas",
  "updatedReplicas",
  "readyReplicas",
  "currentReplicas",
  "availableReplicas",
  "observedGeneration",
];
const parts = ["fullyLabeledReplicas", "updatedReplicas", "readyReplicas", "currentReplicas", "availableReplicas"];

/** The counts of a deployment, a replica set or a stateful set: none is negative, and no part is more than the whole. */
export function validateReplicaStatus(draft: Draft): FieldError[] {
  const status = (draft.status ?? {}) as Readonly<Record<string, number | undefined>>;
  const { replicas = 0, readyReplicas = 0, availableReplicas = 0 } = status;
  const errors = counts.flatMap((field) => checkNotNegative(`status.${field}`, status[field]));
  for (const field of parts) {
    const count = status[field] ?? 0;
    if (count > replicas) errors.push(invalid(`status.${field}`, count, "cannot be greater than status.replicas"));
  }
  if (availableReplicas <= readyReplicas) return errors;
  const whole = draft.kind === "StatefulSet" ? "status.readyReplicas" : "readyReplicas";
  return [...errors, invalid("status.availableReplicas", availableReplicas, `cannot be greater than ${whole}`)];
}
