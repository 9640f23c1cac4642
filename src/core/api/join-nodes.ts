import type { InstanceType } from "../model/instance-type.ts";
import { capacityTypeLabel, instanceTypeLabel, zoneLabel } from "../model/labels.ts";
import type { Node } from "../model/node.ts";
import { has } from "../model/requirements.ts";
import type { Resources } from "../model/resources.ts";
import { joinNode } from "./join-node.ts";
import type { RegisteredNode } from "./read-node.ts";
import type { ClaimedNode } from "./read-node-claim.ts";

export interface NodeObjects {
  readonly nodes: readonly RegisteredNode[];
  readonly claims: readonly ClaimedNode[];
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
  for (const claim of waiting) joined.push(joinNode({ node: undefined, claim }));
  return joined.map((node) => ({ ...node, price: priceOf(node, typesByName) }));
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
