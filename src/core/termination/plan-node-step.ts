import { type ConditionChange, findCondition } from "../model/condition.ts";
import type { VolumeAttachment } from "../model/disruption-budget.ts";
import type { NodeClaim } from "../model/node-claim.ts";
import type { NodeObject } from "../model/node-object.ts";
import type { DrainPlan } from "./plan-drain.ts";

/** What is known of a node that is cordoned and about to go. */
export interface NodeQuestion {
  readonly node: NodeObject;
  /** Undefined when nobody knows whose node it is. */
  readonly claim: NodeClaim | undefined;
  readonly drain: DrainPlan;
  readonly attachments: readonly VolumeAttachment[];
  readonly deadline: number | undefined;
  readonly now: number;
}

export interface NodeStep {
  /**
   * What keeps the node: its pods, pods that may have been bound before anybody saw the cordon, volumes, or nothing but
   * its machine.
   */
  readonly awaits: "pods" | "late-pods" | "volumes" | "instance";
  /** What the claim is to say of it. */
  readonly changes: readonly ConditionChange[];
  /** When to look again although nothing changes. */
  readonly lookAgainAt: number | undefined;
}

/** A scheduler that has not seen the cordon yet may still bind a pod for so long. */
const shortestDrain = 5_000;

export function planNodeStep({ node, claim, drain, attachments, deadline, now }: NodeQuestion): NodeStep {
  const drained = claim === undefined ? undefined : findCondition(claim, "Drained");
  const begin: ConditionChange = { type: "Drained", status: "Unknown", reason: "Draining", message: "Draining" };
  const draining = drained === undefined ? [begin] : [];
  if (drain.waits.length > 0) return { awaits: "pods", changes: draining, lookAgainAt: drain.lookAgainAt };
  const startedAt = (claim === undefined ? node.deletedAt : drained?.lastTransitionTime) ?? now;
  if (drained?.status !== "True" && now < startedAt + shortestDrain) {
    return { awaits: "late-pods", changes: draining, lookAgainAt: startedAt + shortestDrain };
  }
  const isDrained: ConditionChange = { type: "Drained", status: "True" };
  if (attachments.length === 0) {
    const changes: ConditionChange[] = [isDrained, { type: "VolumesDetached", status: "True" }];
    return { awaits: "instance", changes, lookAgainAt: undefined };
  }
  if (deadline !== undefined && now >= deadline) {
    return {
      awaits: "instance",
      changes: [isDrained, volumes("False", "TerminationGracePeriodElapsed")],
      lookAgainAt: undefined,
    };
  }
  const changes = [isDrained, volumes("Unknown", "AwaitingVolumeDetachment")];
  return { awaits: "volumes", changes, lookAgainAt: deadline };
}

function volumes(status: "False" | "Unknown", reason: string): ConditionChange {
  return { type: "VolumesDetached", status, reason, message: reason };
}
