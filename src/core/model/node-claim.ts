import type { Condition } from "./condition.ts";
import type { Labels } from "./labels.ts";
import type { NodeClassRef } from "./node-pool.ts";
import type { ObjectIdentity } from "./object-identity.ts";
import type { RequirementEntry } from "./requirement-entries.ts";
import type { Requirements } from "./requirements.ts";
import type { Resources } from "./resources.ts";
import type { Taint } from "./taints.ts";

/** A machine that was asked for, and what has come of it. */
export interface NodeClaim extends ObjectIdentity {
  readonly labels: Labels;
  readonly annotations: Labels;
  /** What its spec says, key by key. */
  readonly requirements: Requirements;
  /** The same as written, which is what drift is measured against. */
  readonly requirementEntries: readonly RequirementEntry[];
  readonly taints: readonly Taint[];
  readonly startupTaints: readonly Taint[];
  /** The least that the machine must offer. */
  readonly requests: Resources;
  readonly nodeClassRef: NodeClassRef;
  /** Milliseconds; undefined waits for ever. */
  readonly terminationGracePeriod: number | undefined;
  /** Milliseconds; undefined is never. */
  readonly expireAfter: number | undefined;
  /** "" until the cloud has launched the machine. */
  readonly providerId: string;
  /** "" until the node has registered. */
  readonly nodeName: string;
  readonly imageId: string;
  readonly capacity: Resources;
  readonly allocatable: Resources;
  readonly conditions: readonly Condition[];
  readonly lastPodEventTime: number | undefined;
}

/** The conditions that a claim's Ready is made of. */
export const claimReadiness: readonly string[] = ["Launched", "Registered", "Initialized"];

/** How much its pods are heeded when it goes: always, until its grace period ends, or not at all. */
export function terminationModeOf({
  terminationGracePeriod,
}: Pick<NodeClaim, "terminationGracePeriod">): "graceful" | "eventual" | "forceful" {
  if (terminationGracePeriod === undefined) return "graceful";
  return terminationGracePeriod > 0 ? "eventual" : "forceful";
}
