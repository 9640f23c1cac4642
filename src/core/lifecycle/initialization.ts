import type { ConditionChange } from "../model/condition.ts";
import type { NodeClaim } from "../model/node-claim.ts";
import { isNodeReady, type NodeObject } from "../model/node-object.ts";
import { isEphemeralTaint, type Taint } from "../model/taints.ts";
import { isSameTaint } from "./registration.ts";

/** What a registered node still lacks before pods can count on it; True when nothing. */
export function initialization(claim: NodeClaim, node: NodeObject | undefined): ConditionChange {
  if (node === undefined) return waiting("NodeNotFound", "Node not registered with cluster");
  if (!isNodeReady(node)) return waiting("NodeNotReady", "Node status is NotReady");
  const startupTaint = node.taints.find((taint) => claim.startupTaints.some((startup) => isSameTaint(startup, taint)));
  if (startupTaint !== undefined)
    return waiting("StartupTaintsExist", `StartupTaint "${describeTaint(startupTaint)}" still exists`);
  const ephemeralTaint = node.taints.find(isEphemeralTaint);
  if (ephemeralTaint !== undefined)
    return waiting("KnownEphemeralTaintsExist", `KnownEphemeralTaint "${describeTaint(ephemeralTaint)}" still exists`);
  for (const [name, amount] of claim.requests) {
    // Devices count zero until their plugin has started.
    if (amount !== 0 && (node.allocatable.get(name) ?? 0) === 0)
      return waiting("ResourceNotRegistered", `Resource "${name}" was requested but not registered`);
  }
  return { type: "Initialized", status: "True" };
}

function waiting(reason: string, message: string): ConditionChange {
  return { type: "Initialized", status: "Unknown", reason, message };
}

function describeTaint({ key, value, effect }: Taint): string {
  return value === "" ? `${key}:${effect}` : `${key}=${value}:${effect}`;
}
