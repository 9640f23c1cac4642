import type { InstanceType, Offering } from "./instance-type.ts";
import { joinNode } from "./join-node.ts";
import { capacityTypeLabel, instanceTypeLabel, zoneLabel } from "./labels.ts";
import type { Node } from "./node.ts";
import type { NodeClaim } from "./node-claim.ts";
import type { NodeObject } from "./node-object.ts";
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
  const typesByName = new Map(instanceTypes.map((type) => [type.name, type]));
  const waiting = new Set(claims);
  const joined: Node[] = [];
  for (const node of nodes) {
    const claim = claimByProviderId.get(node.providerId) ?? claimByNodeName.get(node.name);
    if (claim !== undefined) waiting.delete(claim);
    joined.push(joinNode({ node, claim }, volumeLimits.get(node.name)));
  }
  const priced = (node: Node): Node => ({ ...node, price: priceOf(node, typesByName) });
  const coming = Array.from(waiting, (claim) => {
    const node = priced(joinNode({ node: undefined, claim }));
    return claim.capacity.size > 0 ? node : atMost(node, claim, typesByName);
  });
  return [...joined.map(priced), ...coming];
}

/** Before the launch, limits must count the largest and the dearest machine that the claim may become. */
function atMost(node: Node, claim: NodeClaim, typesByName: ReadonlyMap<string, InstanceType>): Node {
  const capacity = new Map(node.capacity);
  let price = node.price ?? 0;
  for (const name of claim.requirements.get(instanceTypeLabel)?.values ?? []) {
    const type = typesByName.get(name);
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

/** What the catalogue asks for a machine of this type in this zone. */
function priceOf({ labels }: Node, typesByName: ReadonlyMap<string, InstanceType>): number | undefined {
  const type = typesByName.get(labels.get(instanceTypeLabel) ?? "");
  return type?.offerings.find(({ requirements }) =>
    [zoneLabel, capacityTypeLabel].every((key) => {
      const requirement = requirements.get(key);
      return requirement !== undefined && has(requirement, labels.get(key) ?? "");
    }),
  )?.price;
}
