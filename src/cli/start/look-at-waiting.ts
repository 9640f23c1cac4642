import type { ClusterState } from "../../core/cluster/cluster-state.ts";
import type { Pod } from "../../core/model/pod.ts";
import { isDaemonPod, isFinished } from "../../core/model/pod-lifecycle.ts";
import { stateOf } from "./look-at-cluster.ts";
import { workloadOf } from "./read-log-line.ts";

/** Pods of one workload that wait for the same. */
export interface WaitingLook {
  readonly workload: string;
  readonly pods: number;
  readonly reason: string;
  /** Nothing that is under way will help. */
  readonly isStuck: boolean;
}

/** Who waits for a node, and why; `refusals` are the planner's last words on pods, by `namespace/name`. */
export function lookAtWaiting(cluster: ClusterState, refusals: ReadonlyMap<string, string>): readonly WaitingLook[] {
  const groups = new Map<string, WaitingLook>();
  for (const [name, pod] of cluster.pods.entries()) {
    if (pod.nodeName !== "" || pod.isDeleting || isFinished(pod)) continue;
    const workload = workloadOf(name);
    const { reason, isStuck } = whyItWaits(cluster, pod, refusals.get(name));
    const key = `${workload}\n${reason}`;
    groups.set(key, { workload, reason, isStuck, pods: (groups.get(key)?.pods ?? 0) + 1 });
  }
  return [...groups.values()].sort((a, b) => Number(b.isStuck) - Number(a.isStuck) || b.pods - a.pods);
}

function whyItWaits(
  cluster: ClusterState,
  pod: Pod,
  refusal: string | undefined,
): Pick<WaitingLook, "reason" | "isStuck"> {
  if (pod.isGated) return { reason: "held back by a scheduling gate", isStuck: true };
  const claim = cluster.claims.get(cluster.nominations.claimOf(pod.uid) ?? "");
  if (claim !== undefined) {
    const state = stateOf(claim, cluster.nodesOf(claim)[0]);
    return { reason: `meant for ${claim.name}, which is ${state}`, isStuck: false };
  }
  if (refusal !== undefined) return { reason: refusal, isStuck: true };
  if (isDaemonPod(pod)) return { reason: "waits for its node", isStuck: false };
  return pod.scheduledReason === "Unschedulable"
    ? { reason: "fits on no node; the next plan decides", isStuck: false }
    : { reason: "waits for the scheduler", isStuck: false };
}
