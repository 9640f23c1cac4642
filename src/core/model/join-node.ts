import { isConditionTrue } from "./condition.ts";
import { hostnameLabel, initializedLabel, type Labels, nodePoolLabel, registeredLabel } from "./labels.ts";
import type { Node } from "./node.ts";
import type { NodeClaim } from "./node-claim.ts";
import type { NodeObject } from "./node-object.ts";
import type { Requirements } from "./requirements.ts";
import { noResources, type Resources } from "./resources.ts";
import { isEphemeralTaint, leavingTaint, type Taint } from "./taints.ts";

/** What is known of one machine: by its Node, by its NodeClaim or by both. */
export type NodeParts =
  | { readonly node: NodeObject; readonly claim: NodeClaim | undefined }
  | { readonly node: undefined; readonly claim: NodeClaim };

/** The node as the planner sees it. What it costs is not among the parts. */
export function joinNode({ node, claim }: NodeParts, volumeLimits: Resources = noResources): Node {
  const { name } = node ?? claim;
  const isInitialized = node !== undefined && (claim === undefined || node.labels.get(initializedLabel) === "true");
  const written = labelsOf(node, claim);
  const labels = written.has(hostnameLabel) ? written : new Map(written).set(hostnameLabel, name);
  return {
    name,
    labels,
    taints: taintsOf(node, claim, isInitialized),
    capacity: new Map(amounts(node?.capacity, promised(claim, "capacity"), isInitialized)).set("nodes", 1),
    allocatable: amounts(node?.allocatable, promised(claim, "allocatable"), isInitialized),
    nodePool: labels.get(nodePoolLabel) ?? "",
    isInitialized,
    isDeleting: node?.deletedAt !== undefined || (claim !== undefined && isClaimDeleting(claim)),
    volumeLimits,
    price: undefined,
  };
}

/** Until it has registered, a node of ours lacks most of the labels that it will have. */
function labelsOf(node: NodeObject | undefined, claim: NodeClaim | undefined): Labels {
  if (claim === undefined || isRegistered(node)) return node?.labels ?? new Map();
  return new Map([...decidedLabels(claim.requirements), ...claim.labels]);
}

/** Requirements that leave only one value say what the label will be. */
export function decidedLabels(requirements: Requirements): Labels {
  const labels = new Map<string, string>();
  for (const [key, { isComplement, values }] of requirements) {
    const [value] = values;
    if (!isComplement && values.size === 1 && value !== undefined) labels.set(key, value);
  }
  return labels;
}

/** Before the launch nobody knows more than what was asked for. */
function promised(claim: NodeClaim | undefined, amount: "capacity" | "allocatable"): Resources {
  if (claim === undefined) return noResources;
  return claim[amount].size === 0 ? claim.requests : claim[amount];
}

/** Its machine is going away, or about to. */
function isClaimDeleting(claim: NodeClaim): boolean {
  return claim.deletedAt !== undefined || isConditionTrue(claim, "InstanceTerminating");
}

function taintsOf(
  node: NodeObject | undefined,
  claim: NodeClaim | undefined,
  isInitialized: boolean,
): readonly Taint[] {
  if (isInitialized || claim === undefined) return (node?.taints ?? []).filter(({ key }) => key !== leavingTaint.key);
  const taints = node !== undefined && isRegistered(node) ? node.taints : claim.taints;
  const startup = new Set(claim.startupTaints.map(({ key, effect }) => `${key}:${effect}`));
  return taints.filter((taint) => !isEphemeralTaint(taint) && !startup.has(`${taint.key}:${taint.effect}`));
}

function isRegistered(node: NodeObject | undefined): boolean {
  return node?.labels.get(registeredLabel) === "true";
}

/** Devices report zero until their plugin has started, so until then the claim's word counts. */
function amounts(reported: Resources = noResources, promised: Resources = noResources, isFinal: boolean): Resources {
  if (isFinal) return reported;
  const filled = new Map(reported);
  for (const [name, amount] of promised) if ((filled.get(name) ?? 0) === 0) filled.set(name, amount);
  return filled;
}
