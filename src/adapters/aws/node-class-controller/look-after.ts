import { type ConditionChange, changeConditions, findCondition } from "../../../core/model/condition.ts";
import type { QueueHealth } from "../interruption/queue-health.ts";
import type { Ec2NodeClass } from "../node-class/ec2-node-class.ts";
import type { CredentialOutages } from "./credential-outages.ts";
import { credentialReason, explainFailure } from "./explain-failure.ts";
import { type FindStep, reservationCondition } from "./find-steps.ts";
import { judgeQueue, queueCondition } from "./judge-queue.ts";
import type { StepOutcome } from "./step-outcome.ts";
import { type Validation, validationCondition } from "./validation.ts";

export interface LookParts {
  readonly steps: readonly FindStep[];
  readonly validation: Pick<Validation, "validate">;
  readonly outages: CredentialOutages;
  /** Undefined when no queue is to be followed. */
  readonly queue: QueueHealth | undefined;
  readonly clock: { now(): number };
}

/** A node class after a look at all that it needs. */
export interface Look {
  readonly nodeClass: Ec2NodeClass;
  /** Milliseconds until the next; undefined for not before something changes. */
  readonly again: number | undefined;
  readonly failures: readonly unknown[];
}

const rehearsalActions = ["ec2:CreateLaunchTemplate", "ec2:CreateFleet", "ec2:RunInstances"];

/** Takes all steps, whatever becomes of the others. */
export async function lookAfter(nodeClass: Ec2NodeClass, parts: LookParts): Promise<Look> {
  const { steps, validation, outages, queue, clock } = parts;
  const dependents = [...steps.map(({ condition }) => condition), validationCondition];
  const isWithoutReservations = !dependents.includes(reservationCondition);
  const removals = [
    ...(isWithoutReservations ? [reservationCondition] : []),
    ...(queue === undefined ? [queueCondition] : []),
  ];
  const nothing: StepOutcome = { change: undefined, found: { capacityReservations: [] } };
  const outcomes = [
    ...(isWithoutReservations ? [nothing] : []),
    { change: queue === undefined ? undefined : judgeQueue(queue.state) },
    ...(await Promise.all(steps.map((step) => take(step, nodeClass, outages)))),
  ];
  const apply = (before: Ec2NodeClass, made: readonly StepOutcome[]): Ec2NodeClass => ({
    ...before,
    status: Object.assign({ ...before.status }, ...made.map(({ found = {} }) => found)),
    conditions: changeConditions(before, dependents, {
      changes: made.flatMap((outcome) => decided(outcome, before)),
      removals,
      now: clock.now(),
    }),
  });
  const found = apply(nodeClass, outcomes);
  const step = {
    condition: validationCondition,
    actions: rehearsalActions,
    find: (it: Ec2NodeClass) => validation.validate(it),
  };
  const judgement = await take(step, found, outages);
  const all = [...outcomes, judgement];
  if (!all.some(isOutage)) outages.end(nodeClass.name);
  return {
    nodeClass: apply(found, [judgement]),
    again: all.map((outcome) => outcome.again).reduce(earlier, undefined),
    failures: all.flatMap(({ failure }) => failure ?? []),
  };
}

async function take(step: FindStep, nodeClass: Ec2NodeClass, outages: CredentialOutages): Promise<StepOutcome> {
  try {
    return await step.find(nodeClass);
  } catch (error) {
    const type = step.condition;
    const failure = explainFailure(error, step.actions);
    const { message } = failure;
    const isRefused =
      failure.kind === "refused" || (failure.kind === "without-credentials" && outages.isLasting(nodeClass.name));
    if (!isRefused) {
      const change = { type, status: "Unknown", reason: "AWSUnavailable", message } as const;
      return { change, isTentative: true, failure: error };
    }
    const reason = failure.kind === "refused" ? (step.refusalReason ?? failure.reason) : credentialReason;
    return { change: { type, status: "False", reason, message }, failure: error };
  }
}

function isOutage({ failure }: StepOutcome): boolean {
  return failure !== undefined && explainFailure(failure, []).kind === "without-credentials";
}

function decided({ change, isTentative = false }: StepOutcome, nodeClass: Ec2NodeClass): readonly ConditionChange[] {
  if (change === undefined) return [];
  const before = findCondition(nodeClass, change.type);
  const isKnown = before?.observedGeneration === nodeClass.generation && before.status !== "Unknown";
  return isTentative && isKnown ? [] : [change];
}

function earlier(left: number | undefined, right: number | undefined): number | undefined {
  if (left === undefined || right === undefined) return left ?? right;
  return Math.min(left, right);
}
