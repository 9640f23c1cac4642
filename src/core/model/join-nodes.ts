import type { InstanceType, Offering } from "./instance-type.ts";
import { joinNode } from "./join-node.ts";
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

/** One node for each machine, whether it has a Node, a NodeClaim or both. */
export function joinNodes({ nodes, claims, volumeLimits, instanceTypes }: NodeObjects): readonly Node[] {
  const launched = claims.filter(({ providerId }) => providerId !== "");
  const claimByProviderId = new Map(launched.map((claim) => [claim.providerId, claim]));
  const claimByNodeName = new Map(claims.map((claim) => [claim.nodeName, claim]));
  const waiting = new Set(claims);
  const joined: Node[] = [];
  for (const node of nodes) {
    const claim = claimByProviderId.get(node.providerId) ?? claimByNodeName.get(node.name);
    if (claim !== undefined) waiting.delete(claim);
    joined.push(joinNode({ node, claim }, volumeLimits.get(node.name)));
  }
  const priced = (node: Node): Node => ({ ...node, price: nodePrice(node.labels, instanceTypes) });
  const coming = Array.from(waiting, (claim) => {
    const node = priced(joinNode({ node: undefined, claim }));
    return claim.capacity.size > 0 ? node : atMost(node, claim, instanceTypes);
  });
  return [...joined.map(priced), ...coming];
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
