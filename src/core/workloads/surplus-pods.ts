import type { Pod } from "../model/pod.ts";
import { isActive } from "../model/pod-lifecycle.ts";
import type { Workload } from "../model/workload.ts";

export interface Siblings {
  /** All ReplicaSets of the Deployment, with their pods. */
  readonly sets: readonly { readonly workload: Workload; readonly pods: readonly Pod[] }[];
  /** Pods of other ReplicaSets of the Deployment, see {@link podsOfUnseenSets}. */
  readonly unseen: readonly Pod[];
}

/**
 * How many pods exist beyond what the ReplicaSets of their Deployment ask for, each by itself. ReplicaSets and pods arrive
 * by two watches. When the watch of pods is ahead during a rollout, the new pods exist already and the old ones are still
 * asked for: so a surplus of one ReplicaSet is taken off what another seems to miss.
 */
export function surplusPods({ sets, unseen }: Siblings): number {
  return sets.reduce((sum, { workload: { demand }, pods }) => {
    // What one asks for that is not for us to look ahead to is not known.
    if (demand.kind !== "replicas") return sum;
    return sum + Math.max(0, pods.filter(isActive).length - demand.replicas);
  }, unseen.filter(isActive).length);
}
