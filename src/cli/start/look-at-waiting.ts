import type { ClusterState } from "../../core/cluster/cluster-state.ts";
import type { Pod } from "../../core/model/pod.ts";
import { isDaemonPod, isFinished } from "../../core/model/pod-lifecycle.ts";
import { stateOf } from "../nodes/look-at-cluster.ts";
import { workloadOf } from "./read-log-line.ts";

/** Pods of one workload that wait for the same. */
export interface WaitingLook {
  readonly workload: string;
  readonly pods: number;
  readonly reason: string;
  /** Nothing that is under way will help. */
  readonly isStuck: boolean;
}

interface Reason {
  /** Pods of a workload with the same one are one group. */
  readonly key: string;
  /** The claim that they are meant for, "" for none. */
  readonly claim: string;
  readonly isStuck: boolean;
  readonly describe: (claims: number) => string;
}

/** Who waits for a node, and why, most pods first; `refusals` are the planner's last words, by `namespace/name`. */
export function lookAtWaiting(cluster: ClusterState, refusals: ReadonlyMap<string, string>): readonly WaitingLook[] {
  const groups = new Map<string, { workload: string; reason: Reason; pods: number; claims: Set<string> }>();
  for (const [name, pod] of cluster.pods.entries()) {
    if (pod.nodeName !== "" || pod.isDeleting || isFinished(pod)) continue;
    const workload = workloadOf(name);
    const reason = whyItWaits(cluster, pod, refusals.get(name));
    const key = `${workload}\n${reason.key}`;
    const group = groups.get(key) ?? { workload, reason, pods: 0, claims: new Set() };
    group.pods++;
    groups.set(key, group);
    group.claims.add(reason.claim);
  }
  return [...groups.values()]
    .map(({ workload, reason: { isStuck, describe }, pods, claims }) => ({
      workload,
      pods,
      reason: describe(claims.size),
      isStuck,
    }))
    .sort((a, b) => b.pods - a.pods || Number(b.isStuck) - Number(a.isStuck));
}

function whyItWaits(cluster: ClusterState, pod: Pod, refusal: string | undefined): Reason {
  if (pod.isGated) return plainly("held back by a scheduling gate", true);
  const claim = cluster.claims.get(cluster.intendedPods.claimOf(pod.uid) ?? "");
  if (claim !== undefined) {
    const state = stateOf(claim, cluster.nodesOf(claim)[0]);
    return {
      key: state,
      claim: claim.name,
      isStuck: false,
      describe: (claims) =>
        claims === 1 ? `meant for ${claim.name}, which is ${state}` : `meant for ${claims} nodes, which are ${state}`,
    };
  }
  if (refusal !== undefined) return plainly(refusal, true);
  if (isDaemonPod(pod)) return plainly("waits for its node", false);
  return pod.scheduledReason === "Unschedulable"
    ? plainly("fits on no node; the next plan decides", false)
    : plainly("waits for the scheduler", false);
}

function plainly(text: string, isStuck: boolean): Reason {
  return { key: text, claim: "", isStuck, describe: () => text };
}
