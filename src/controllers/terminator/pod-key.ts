import type { ClusterState } from "../../core/cluster/cluster-state.ts";
import type { Pod } from "../../core/model/pod.ts";

/** By the name and the uid: one of the same name that comes later is another pod. */
export function podKey({ namespace, name, uid }: Pod): string {
  return `${namespace}/${name}/${uid}`;
}

export function findPod(cluster: ClusterState, key: string): Pod | undefined {
  const slash = key.lastIndexOf("/");
  const pod = cluster.pods.get(key.slice(0, slash));
  return pod?.uid === key.slice(slash + 1) ? pod : undefined;
}
