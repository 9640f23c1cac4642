import type { ClusterState } from "../../core/cluster/cluster-state.ts";
import type { Pod } from "../../core/model/pod.ts";

/** The pods that are meant for these claims, as they came: kube-scheduler takes them in this order. */
export function podsInQueue(cluster: ClusterState, claimNames: readonly string[]): readonly Pod[] {
  const wanted = new Set(claimNames);
  return [...cluster.pods.values()].filter(({ uid }) => wanted.has(cluster.nominations.claimOf(uid) ?? ""));
}
