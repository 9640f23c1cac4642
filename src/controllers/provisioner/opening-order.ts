import type { ClusterState } from "../../core/cluster/cluster-state.ts";
import type { Resources } from "../../core/model/resources.ts";
import { findsItsWay } from "./finds-its-way.ts";

/** A node with less of everything left than this share has no room for pods that are not meant for it. */
const roomyShare = 0.05;

/**
 * Full nodes first, in the order in which kube-scheduler comes to their pods (the oldest first); those with room that
 * nobody is nominated to last, because a pod that finds its own node closed takes it.
 */
export function openingOrder(cluster: ClusterState, claimNames: readonly string[]): readonly string[] {
  const queue = new Map(Array.from(cluster.pods.values(), ({ uid }, index) => [uid, index]));
  const ranked = claimNames.map((name) => {
    const pods = [...cluster.nominations.podsOf(name)];
    const first = Math.min(...pods.map((uid) => queue.get(uid) ?? Number.POSITIVE_INFINITY));
    const room = freeShare(cluster, name, pods);
    return { name, first, room: room < roomyShare ? 0 : room };
  });
  return ranked.sort((a, b) => a.room - b.room || a.first - b.first).map(({ name }) => name);
}

/** Of the resource that is scarcest, once all pods that are told of the node are there. */
function freeShare(cluster: ClusterState, claimName: string, podUids: readonly string[]): number {
  const told = podUids
    .flatMap((uid) => cluster.podByUid(uid) ?? [])
    .filter((pod) => !findsItsWay(cluster, pod, claimName));
  const allocatable: Resources = cluster.claims.get(claimName)?.allocatable ?? new Map();
  const shares = ["cpu", "memory"].map((resource) => {
    const whole = allocatable.get(resource) ?? 0;
    const used = told.reduce((sum, { spec }) => sum + (spec.requests.get(resource) ?? 0), 0);
    return whole === 0 ? 0 : (whole - used) / whole;
  });
  return Math.min(...shares);
}
