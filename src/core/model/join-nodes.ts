import type { InstanceType, Offering } from "./instance-type.ts";
import { joinNode, type NodeParts } from "./join-node.ts";
import { capacityTypeLabel, instanceTypeLabel, zoneLabel } from "./labels.ts";
import type { Node } from "./node.ts";
import type { NodeClaim } from "./node-claim.ts";
import type { NodeObject } from "./node-object.ts";
import { findInstanceType, nodePrice } from "./node-price.ts";
import { has } from "./requirements.ts";
import type { Resources } from "./resources.ts";

export interface NodeObjects {
  readonly nodes: readonly NodeObject[];
  readonly claims: readonly NodeClaim[];
  /** By the name of the node. */
  readonly volumeLimits: ReadonlyMap<string, Resources>;
  readonly instanceTypes: readonly InstanceType[];
}

/** What a joined node was made of besides the object that it is found by. */
interface Joined {
  readonly claim: NodeClaim | undefined;
  readonly volumeLimits: Resources | undefined;
  readonly instanceTypes: readonly InstanceType[];
  readonly node: Node;
}

/** The objects never change, and of thousands of nodes few are other ones than a moment ago. */
const known = new WeakMap<NodeObject | NodeClaim, Joined>();

/** One node for each machine, whether it has a Node, a NodeClaim or both. The same as before unless it changed. */
export function joinNodes({ nodes, claims, volumeLimits, instanceTypes }: NodeObjects): readonly Node[] {
  const claimByProviderId = new Map<string, NodeClaim>();
  for (const claim of claims) if (claim.providerId !== "") claimByProviderId.set(claim.providerId, claim);
  // Needed for few nodes, if for any.
  let claimByNodeName: ReadonlyMap<string, NodeClaim> | undefined;
  const claimNaming = (nodeName: string): NodeClaim | undefined => {
    claimByNodeName ??= new Map(claims.map((claim) => [claim.nodeName, claim]));
    return claimByNodeName.get(nodeName);
  };
  const found = new Set<NodeClaim>();
  const joined: Node[] = [];
  for (const node of nodes) {
    const claim = claimByProviderId.get(node.providerId) ?? claimNaming(node.name);
    if (claim !== undefined) found.add(claim);
    joined.push(joinedNode({ node, claim }, volumeLimits.get(node.name), instanceTypes));
  }
  for (const claim of claims) {
    if (!found.has(claim)) joined.push(joinedNode({ node: undefined, claim }, undefined, instanceTypes));
  }
  return joined;
}

function joinedNode(
  parts: NodeParts,
  volumeLimits: Resources | undefined,
  instanceTypes: readonly InstanceType[],
): Node {
  const { claim } = parts;
  const key = parts.node ?? parts.claim;
  const before = known.get(key);
  const isSame =
    before?.claim === claim && before?.volumeLimits === volumeLimits && before?.instanceTypes === instanceTypes;
  if (before !== undefined && isSame) return before.node;
  const bare = joinNode(parts, volumeLimits);
  const priced: Node = { ...bare, price: nodePrice(bare.labels, instanceTypes) };
  const isUnknown = parts.node === undefined && parts.claim.capacity.size === 0;
  const node = isUnknown ? atMost(priced, parts.claim, instanceTypes) : priced;
  known.set(key, { claim, volumeLimits, instanceTypes, node });
  return node;
}

/** Before the launch, limits must count the largest and the dearest machine that the claim may become. */
function atMost(node: Node, claim: NodeClaim, instanceTypes: readonly InstanceType[]): Node {
  const capacity = new Map(node.capacity);
  let price = node.price ?? 0;
  for (const name of claim.requirements.get(instanceTypeLabel)?.values ?? []) {
    const type = findInstanceType(instanceTypes, name);
    for (const [resource, amount] of type?.capacity ?? []) {
      capacity.set(resource, Math.max(amount, capacity.get(resource) ?? 0));
    }
    for (const offering of type?.offerings ?? []) {
      if (mayBuy(claim, offering)) price = Math.max(price, offering.price);
    }
  }
  return { ...node, capacity, price };
}

function mayBuy({ requirements }: NodeClaim, offering: Offering): boolean {
  return [zoneLabel, capacityTypeLabel].every((key) => {
    const wanted = requirements.get(key);
    const values = [...(offering.requirements.get(key)?.values ?? [])];
    return wanted === undefined || values.some((value) => has(wanted, value));
  });
}
