import {
  type Condition,
  type ConditionChange,
  type ConditionOwner,
  changeConditions,
  findCondition,
} from "../../model/condition.ts";
import type { NodePoolObject } from "../../model/node-pool-object.ts";

/** What came of carrying out a Provisioner. */
export type Outcome =
  /** Kinds and names of what says the same now, and of what of it was not there before. */
  | { readonly kind: "carried-out"; readonly objects: readonly string[]; readonly created: readonly string[] }
  | { readonly kind: "invalid"; readonly problems: readonly string[] }
  /** There are objects of these kinds and names that are not its own. */
  | { readonly kind: "taken"; readonly objects: readonly string[] }
  /** What it had made is being deleted. */
  | { readonly kind: "leaving"; readonly objects: readonly string[] }
  | { readonly kind: "refused"; readonly object: string; readonly message: string };

export interface Notes {
  readonly dropped: readonly string[];
  readonly changed: readonly string[];
}

const convertedCondition = "Converted";
const droppedCondition = "FieldsDropped";
const poolCondition = "NodePoolReady";
const longestMessage = 32_768;

const deleteInstead = "whoever wants its nodes gone deletes this Provisioner instead";

/** That somebody deleted what a Provisioner had made, and what they should have done; undefined when nobody did. */
export function describeDeletion(
  owner: ConditionOwner,
  { created }: { created: readonly string[] },
): string | undefined {
  const before = findCondition(owner, convertedCondition);
  const wasThere = before?.status === "True" && before.observedGeneration === owner.generation;
  if (created.length === 0 || !wasThere) return undefined;
  return `${listOf(created)} was deleted, and is made anew: ${deleteInstead}`;
}

/** Whether it is carried out, and why not. */
export function describeOutcome(outcome: Outcome): Required<ConditionChange> {
  const say = (status: ConditionChange["status"], reason: string, message: string) => ({
    type: convertedCondition,
    status,
    reason,
    message: shorten(message),
  });
  switch (outcome.kind) {
    case "carried-out":
      return say("True", "Converted", `${listOf(outcome.objects)} do what this object says`);
    case "invalid":
      return say("False", "Invalid", outcome.problems.join("\n"));
    case "taken":
      return say(
        "False",
        "NameTaken",
        `There is ${listOf(outcome.objects)} already, which is not made of this object and stays as it is: remove one of them, or rename this object`,
      );
    case "leaving":
      return say(
        "Unknown",
        "AwaitingDeletion",
        `${listOf(outcome.objects)} is being deleted, and is made anew after that: ${deleteInstead}`,
      );
    case "refused":
      return say("False", "Refused", `The API does not take ${outcome.object}: ${outcome.message}`);
  }
}

/** The conditions of a Provisioner; the same list when nothing changes. */
export function provisionerConditions(
  owner: ConditionOwner,
  {
    outcome,
    notes,
    pools,
  }: { readonly outcome: Outcome; readonly notes: Notes; readonly pools: readonly (NodePoolObject | undefined)[] },
  now: number,
): readonly Condition[] {
  return changeConditions(owner, [convertedCondition, poolCondition], {
    changes: [describeOutcome(outcome), describeNotes(notes), describePools(pools)],
    now,
  });
}

/** The conditions of an AWSNodeTemplate, which the node classes of these Provisioners are made of. */
export function templateConditions(
  owner: ConditionOwner,
  {
    problems,
    notes,
    users,
  }: { readonly problems: readonly string[]; readonly notes: Notes; readonly users: readonly string[] },
  now: number,
): readonly Condition[] {
  const converted =
    problems.length > 0
      ? describeOutcome({ kind: "invalid", problems })
      : {
          type: convertedCondition,
          status: "True" as const,
          reason: users.length === 0 ? "Unused" : "Converted",
          message: shorten(describeUsers(users)),
        };
  return changeConditions(owner, [convertedCondition], { changes: [converted, describeNotes(notes)], now });
}

function describeUsers(users: readonly string[]): string {
  if (users.length === 0) return "No Provisioner refers to this object, so that nothing is made of it";
  return `The EC2NodeClasses of the Provisioners that refer to this object say the same: ${[...users].sort().join(", ")}`;
}

function describeNotes({ dropped, changed }: Notes): ConditionChange {
  const message = shorten([...dropped, ...changed].join("\n"));
  return dropped.length > 0
    ? { type: droppedCondition, status: "True", reason: "NoEquivalent", message }
    : { type: droppedCondition, status: "False", reason: "AllCarriedOver", message };
}

/** What its pools say of themselves, so that nobody has to look at two objects. */
function describePools(pools: readonly (NodePoolObject | undefined)[]): ConditionChange {
  const worst = pools
    .map((pool) => ({ name: pool?.name, ready: pool === undefined ? undefined : findCondition(pool.status, "Ready") }))
    .find(({ ready }) => ready?.status !== "True");
  if (pools.length === 0) {
    return { type: poolCondition, status: "False", reason: "NoNodePool", message: "There is no NodePool made of it" };
  }
  if (worst === undefined) return { type: poolCondition, status: "True" };
  const { name, ready } = worst;
  if (ready === undefined) return { type: poolCondition, status: "Unknown", reason: "AwaitingReconciliation" };
  const message = shorten(`NodePool ${name}: ${ready.message || ready.reason}`);
  return { type: poolCondition, status: ready.status, reason: ready.reason || "NotReady", message };
}

function listOf(objects: readonly string[]): string {
  return objects.join(" and ");
}

function shorten(message: string): string {
  return message.length <= longestMessage ? message : `${message.slice(0, longestMessage - 2)} …`;
}
