import type { ClusterState } from "../cluster/cluster-state.ts";
import { isConditionTrue } from "../model/condition.ts";
import { initializedLabel } from "../model/labels.ts";
import type { NodeClaim } from "../model/node-claim.ts";
import type { NodePoolStatus } from "../model/node-pool-object.ts";
import type { Resources } from "../model/resources.ts";

/** Told of every pool, also where it has nothing of them. */
const always = ["cpu", "memory", "pods", "ephemeral-storage", "nodes"];

/** What the machines of a pool have together: those that are launched, and not on their way out. */
export function poolUsage(cluster: ClusterState, poolName: string): Pick<NodePoolStatus, "resources" | "nodes"> {
  const resources = new Map(always.map((name) => [name, 0]));
  let nodes = 0;
  for (const claim of cluster.claimsOfPool(poolName)) {
    if (claim.providerId === "" || isLeaving(cluster, claim)) continue;
    nodes++;
    for (const [name, amount] of capacityOf(cluster, claim)) resources.set(name, (resources.get(name) ?? 0) + amount);
  }
  resources.set("nodes", nodes);
  return { resources, nodes };
}

function isLeaving(cluster: ClusterState, claim: NodeClaim): boolean {
  if (claim.deletedAt !== undefined || isConditionTrue(claim, "InstanceTerminating")) return true;
  return cluster.nodesOf(claim)[0]?.deletedAt !== undefined;
}

/** Devices show up late on a node, so the cloud's word counts until it is initialized. */
function capacityOf(cluster: ClusterState, claim: NodeClaim): Resources {
  const [node] = cluster.nodesOf(claim);
  return node?.labels.get(initializedLabel) === "true" ? node.capacity : claim.capacity;
}

export function isSameUsage(
  left: Pick<NodePoolStatus, "resources" | "nodes">,
  right: Pick<NodePoolStatus, "resources" | "nodes">,
): boolean {
  if (left.nodes !== right.nodes || left.resources.size !== right.resources.size) return false;
  return [...left.resources].every(([name, amount]) => right.resources.get(name) === amount);
}
