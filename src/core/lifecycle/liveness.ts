import { findCondition, isConditionTrue } from "../model/condition.ts";
import type { NodeClaim } from "../model/node-claim.ts";

const launchTimeout = 5 * 60_000;
const registrationTimeout = 15 * 60_000;

export type Liveness =
  /** There is a node, and no deadline any more. */
  | { readonly kind: "registered" }
  | { readonly kind: "waiting"; readonly untilDeadline: number }
  | {
      readonly kind: "expired";
      /** As in metrics. */
      readonly cause: "launch_timeout" | "registration_timeout";
      readonly timeout: number;
      /** What the pool has to say of it. */
      readonly reason: string;
      readonly message: string;
    };

/** Whether there is still hope that the claim becomes a node. */
export function liveness(claim: NodeClaim, now: number): Liveness {
  if (isConditionTrue(claim, "Registered")) return { kind: "registered" };
  const isLaunched = isConditionTrue(claim, "Launched");
  const timeout = isLaunched ? registrationTimeout : launchTimeout;
  const condition = findCondition(claim, isLaunched ? "Registered" : "Launched");
  const untilDeadline = (condition?.lastTransitionTime ?? claim.createdAt) + timeout - now;
  if (untilDeadline > 0) return { kind: "waiting", untilDeadline };
  if (isLaunched) {
    const reason = "RegistrationFailed";
    return { kind: "expired", cause: "registration_timeout", timeout, reason, message: "Failed to register node" };
  }
  const { reason = "LaunchFailed", message = "" } = condition ?? {};
  return { kind: "expired", cause: "launch_timeout", timeout, reason, message };
}
