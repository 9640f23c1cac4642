import { hostnameLabel, initializedLabel, type Labels, nodePoolLabel, registeredLabel } from "../model/labels.ts";
import type { Node } from "../model/node.ts";
import { noResources, type Resources } from "../model/resources.ts";
import { isEphemeralTaint, type Taint } from "../model/taints.ts";
import type { RegisteredNode } from "./read-node.ts";
import type { ClaimedNode } from "./read-node-claim.ts";

/** What is known of one machine: by its Node, by its NodeClaim or by both. */
export type NodeParts =
  | { readonly node: RegisteredNode; readonly claim: ClaimedNode | undefined }
  | { readonly node: undefined; readonly claim: ClaimedNode };

/** The node as the planner sees it. What it costs is not among the parts. */
export function joinNode({ node, claim }: NodeParts, volumeLimits: Resources = noResources): Node {
  const { name } = node ?? claim;
  const isInitialized = node !== undefined && (claim === undefined || node.labels.get(initializedLabel) === "true");
  const labels = new Map([[hostnameLabel, name], ...labelsOf(node, claim)]);
  return {
    name,
    labels,
    taints: taintsOf(node, claim, isInitialized),
    capacity: new Map([...amounts(node?.capacity, claim?.capacity, isInitialized), ["nodes", 1]]),
    allocatable: amounts(node?.allocatable, claim?.allocatable, isInitialized),
    nodePool: labels.get(nodePoolLabel) ?? "",
    isInitialized,
    isDeleting: node?.isDeleting === true || claim?.isDeleting === true,
    volumeLimits,
    price: undefined,
  };
}

/** Until it has registered, a node of ours lacks most of the labels that it will have. */
function labelsOf(node: RegisteredNode | undefined, claim: ClaimedNode | undefined): Labels {
  if (claim === undefined || isRegistered(node)) return node?.labels ?? new Map();
  return claim.labels;
}

function taintsOf(
  node: RegisteredNode | undefined,
  claim: ClaimedNode | undefined,
  isInitialized: boolean,
): readonly Taint[] {
  if (isInitialized || claim === undefined) return node?.taints ?? [];
  const taints = node !== undefined && isRegistered(node) ? node.taints : claim.taints;
  const startup = new Set(claim.startupTaints.map(({ key, effect }) => `${key}:${effect}`));
  return taints.filter((taint) => !isEphemeralTaint(taint) && !startup.has(`${taint.key}:${taint.effect}`));
}

function isRegistered(node: RegisteredNode | undefined): boolean {
  return node?.labels.get(registeredLabel) === "true";
}

/** Devices report zero until their plugin has started, so until then the claim's word counts. */
function amounts(reported: Resources = noResources, promised: Resources = noResources, isFinal: boolean): Resources {
  if (isFinal) return reported;
  const filled = new Map(reported);
  for (const [name, amount] of promised) if ((filled.get(name) ?? 0) === 0) filled.set(name, amount);
  return filled;
}
