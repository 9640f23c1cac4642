import { type ConditionChange, findCondition } from "../model/condition.ts";
import type { Labels } from "../model/labels.ts";
import type { NodeClaim } from "../model/node-claim.ts";
import { nodeNotFound } from "./registration.ts";

/** A claim that has no machine yet, as far as anybody knows, and ought to get one. */
export function awaitsLaunch(claim: Pick<NodeClaim, "conditions" | "deletedAt">): boolean {
  if (claim.deletedAt !== undefined) return false;
  const launched = findCondition(claim, "Launched");
  return launched === undefined || launched.status === "Unknown";
}

/** What the machine says of itself that the claim has yet to say. The claim's own labels stay; its annotations give way. */
export function launchedMetadata(
  claim: Pick<NodeClaim, "labels" | "annotations">,
  machine: { readonly labels: Labels; readonly annotations: Labels },
): { readonly labels: Labels; readonly annotations: Labels } {
  return {
    labels: new Map([...machine.labels].filter(([key]) => !claim.labels.has(key))),
    annotations: new Map([...machine.annotations].filter(([key, value]) => claim.annotations.get(key) !== value)),
  };
}

/** The node comes after its machine, so that both are said in one write. */
export const launchedChanges: readonly ConditionChange[] = [{ type: "Launched", status: "True" }, nodeNotFound];

export function launchFailed(reason: string, message: string): ConditionChange {
  return { type: "Launched", status: "Unknown", reason, message: cutMessage(message) };
}

const longestMessage = 300;

/** Clouds can be talkative. */
export function cutMessage(message: string): string {
  return message.length < longestMessage ? message : `${message.slice(0, longestMessage)}...`;
}
