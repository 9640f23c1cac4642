import type { ClusterState } from "../../core/cluster/cluster-state.ts";
import { areAlike } from "../../core/model/are-alike.ts";
import { domainSpread } from "../../core/model/domain-spread.ts";
import type { Pod } from "../../core/model/pod.ts";

/**
 * Of pods that must spread, kube-scheduler counts those that are nominated to the node it looks at, so that two of a
 * kind keep each other out. The first is told; the others take turns between the zones, and find the room that nobody
 * else may have.
 */
export function findsItsWay(cluster: ClusterState, pod: Pod, claimName: string): boolean {
  if (domainSpread(pod) === undefined) return false;
  for (const uid of cluster.nominations.podsOf(claimName)) {
    if (uid === pod.uid) return false;
    const other = cluster.podByUid(uid);
    if (other !== undefined && areAlike(other, pod)) return true;
  }
  return false;
}
