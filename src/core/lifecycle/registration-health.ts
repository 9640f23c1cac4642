import { type ConditionChange, findCondition } from "../model/condition.ts";
import type { NodeClassObject, NodePoolObject } from "../model/node-pool-object.ts";

const registrationHealthCondition = "NodeRegistrationHealthy";

/** How the latest machines of a pool fared, the newest last. */
export interface RegistrationRecord {
  readonly outcomes: readonly boolean[];
  /** Why the latest of them failed. */
  readonly failure: RegistrationFailure | undefined;
}

export interface RegistrationFailure {
  readonly reason: string;
  readonly message: string;
}

const keptOutcomes = 4;
const unhealthyFailures = 2;

export const emptyRecord: RegistrationRecord = { outcomes: [], failure: undefined };

/** What is known after a restart: as much as the pool's condition tells. */
export function recordFromCondition(pool: NodePoolObject): RegistrationRecord {
  switch (findCondition(pool.status, registrationHealthCondition)?.status) {
    case "True":
      return { outcomes: [true], failure: undefined };
    case "False":
      return { outcomes: Array<boolean>(unhealthyFailures).fill(false), failure: undefined };
    case "Unknown":
    case undefined:
      return emptyRecord;
  }
}

/** A failure, or, where undefined, a node that registered. */
export function recordOutcome(
  { outcomes }: RegistrationRecord,
  failure: RegistrationFailure | undefined,
): RegistrationRecord {
  return { outcomes: [...outcomes, failure === undefined].slice(-keptOutcomes), failure };
}

/** Whether what was found out of an earlier template or node class says nothing of the machines to come. */
export function isOutdated(pool: NodePoolObject, nodeClass: NodeClassObject): boolean {
  const condition = findCondition(pool.status, registrationHealthCondition);
  return (
    condition === undefined ||
    condition.observedGeneration !== pool.generation ||
    pool.status.nodeClassObservedGeneration !== nodeClass.generation
  );
}

export const unknownHealth: ConditionChange = {
  type: registrationHealthCondition,
  status: "Unknown",
  reason: "AwaitingReconciliation",
  message: "object is awaiting reconciliation",
};

/** What the record says; undefined when it leaves things as they are. */
export function judgeHealth(
  pool: NodePoolObject,
  { outcomes, failure }: RegistrationRecord,
): ConditionChange | undefined {
  const latest = outcomes.at(-1);
  if (latest === undefined) return undefined;
  const status = findCondition(pool.status, registrationHealthCondition)?.status;
  const isHealthy = outcomes.filter((isSuccess) => !isSuccess).length < unhealthyFailures;
  if (latest && isHealthy && status !== "True") return { type: registrationHealthCondition, status: "True" };
  if (!latest && !isHealthy && status !== "False" && failure !== undefined)
    return { type: registrationHealthCondition, status: "False", ...failure };
  return undefined;
}
