import type { ClusterState } from "../../core/cluster/cluster-state.ts";
import type { Pod } from "../../core/model/pod.ts";
import { noResources, type Resources } from "../../core/model/resources.ts";
import { findsItsWay } from "./finds-its-way.ts";
import { podsInQueue } from "./pods-in-queue.ts";

/** A node with less than this share left of what is scarcest is full: plans leave nearly as much of every node. */
const roomyShare = 0.06;
/** So many pods have been tried by the time that all nodes are open, or nearly. */
const headOfQueue = 16;

/**
 * The nodes of the oldest pods first, because kube-scheduler comes to these at once. Of the others those that are full,
 * the smallest of them before the others and then in the order in which it comes to their pods; then those with room to
 * spare, and last those with pods that nobody tells: a pod that finds its own node closed takes their room.
 */
export function openingOrder(cluster: ClusterState, claimNames: readonly string[]): readonly string[] {
  const queue = new Map(podsInQueue(cluster, claimNames).map(({ uid }, turn) => [uid, turn]));
  const ranked = claimNames.map((name) => {
    const pods = cluster.podsMeantFor(name);
    const untold = pods.some((pod) => findsItsWay(cluster, pod, name)) ? 1 : 0;
    const first = Math.min(...pods.map(({ uid }) => queue.get(uid) ?? Number.POSITIVE_INFINITY));
    const room = freeShare(cluster.claims.get(name)?.allocatable ?? noResources, pods);
    const size = cluster.claims.get(name)?.allocatable.get("cpu") ?? 0;
    return { name, turn: Math.min(first, headOfQueue), untold, room: room < roomyShare ? 0 : room, size, first };
  });
  return ranked
    .sort((a, b) => a.turn - b.turn || a.untold - b.untold || a.room - b.room || a.size - b.size || a.first - b.first)
    .map(({ name }) => name);
}

/** Of the resource that is scarcest, once all its pods are there. */
function freeShare(allocatable: Resources, pods: readonly Pod[]): number {
  const shares = ["cpu", "memory"].map((resource) => {
    const whole = allocatable.get(resource) ?? 0;
    const used = pods.reduce((sum, { spec }) => sum + (spec.requests.get(resource) ?? 0), 0);
    return whole === 0 ? 0 : (whole - used) / whole;
  });
  return Math.min(...shares);
}
