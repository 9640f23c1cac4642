import type { Node } from "../model/node.ts";
import type { NodePool } from "../model/node-pool.ts";
import type { Pod } from "../model/pod.ts";
import { isReschedulable } from "../model/pod-lifecycle.ts";
import { noResources } from "../model/resources.ts";
import type { Snapshot } from "../model/snapshot.ts";
import { usedByNode } from "../scheduling/budgets.ts";

export interface Fork {
  readonly snapshot: Snapshot;
  /** What waits already, and then what moves. */
  readonly pendingPods: readonly Pod[];
}

export interface Removal {
  /** Names of the nodes that go. */
  readonly gone: ReadonlySet<string>;
  /** Names of the nodes that may take what moves; all when absent. */
  readonly destinations?: ReadonlySet<string>;
  /** Whether a pod on a node that goes wants another place; one that can be rescheduled by default. */
  readonly mayMove?: (pod: Pod) => boolean;
}

/**
 * The cluster as it would be without some nodes, their pods waiting. As long as those nodes are there they count for the
 * limits of their pools, because whatever replaces them comes first.
 */
export function forkWithout(snapshot: Snapshot, pendingPods: readonly Pod[], removal: Removal): Fork {
  const { gone, destinations, mayMove = isReschedulable } = removal;
  const going = snapshot.nodes.filter(({ name }) => gone.has(name));
  const podsByNode = new Map(snapshot.podsByNode);
  for (const { name } of going) podsByNode.delete(name);
  const moving = going.flatMap(({ name }) => (snapshot.podsByNode.get(name) ?? []).filter(mayMove));
  const nodes = snapshot.nodes
    .filter(({ name }) => !gone.has(name))
    .map((node) => (destinations === undefined || destinations.has(node.name) ? node : withoutRoom(node)));
  const nodePools = snapshot.nodePools.map((pool) => withoutRoomFor(pool, going));
  return { snapshot: { ...snapshot, nodePools, nodes, podsByNode }, pendingPods: [...pendingPods, ...moving] };
}

/** The same one for every fork, so that what is known of it need not be worked out again. */
const nodesWithoutRoom = new WeakMap<Node, Node>();

function withoutRoom(node: Node): Node {
  let full = nodesWithoutRoom.get(node);
  if (full === undefined) {
    full = { ...node, allocatable: noResources };
    nodesWithoutRoom.set(node, full);
  }
  return full;
}

function withoutRoomFor(pool: NodePool, going: readonly Node[]): NodePool {
  const own =
    pool.limits.size === 0 ? [] : going.filter(({ nodePool, isDeleting }) => nodePool === pool.name && !isDeleting);
  if (own.length === 0) return pool;
  const limits = new Map(
    Array.from(pool.limits, ([resource, limit]) => [
      resource,
      limit - own.reduce((sum, node) => sum + usedByNode(node, resource), 0),
    ]),
  );
  return { ...pool, limits };
}
