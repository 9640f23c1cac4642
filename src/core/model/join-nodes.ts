import type { InstanceType } from "./instance-type.ts";
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
  for (const claim of waiting) {
    const node = joinNode({ node: undefined, claim });
    joined.push(claim.capacity.size > 0 ? node : { ...node, capacity: largestCapacity(node, claim, typesByName) });
  }
  return joined.map((node) => ({ ...node, price: priceOf(node, typesByName) }));
}

/** Before the launch, limits must count the largest machine that the claim may become. */
function largestCapacity(
  { capacity }: Node,
  { requirements }: NodeClaim,
  typesByName: ReadonlyMap<string, InstanceType>,
): Resources {
  const largest = new Map(capacity);
  for (const name of requirements.get(instanceTypeLabel)?.values ?? []) {
    for (const [resource, amount] of typesByName.get(name)?.capacity ?? []) {
      largest.set(resource, Math.max(amount, largest.get(resource) ?? 0));
    }
  }
  return largest;
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
