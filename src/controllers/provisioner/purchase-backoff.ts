import { claimReference } from "../../core/api/references.ts";
import type { ClusterState } from "../../core/cluster/cluster-state.ts";
import type { Pod } from "../../core/model/pod.ts";
import { isDaemonPod } from "../../core/model/pod-lifecycle.ts";
import { misfit } from "../../core/placement/misfit.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Telemetry } from "../../ports/telemetry.ts";

export interface PurchaseBackoffOptions {
  readonly cluster: ClusterState;
  readonly clock: Clock;
  readonly telemetry: Telemetry;
}

interface Hold {
  readonly until: number;
  readonly holds: number;
  readonly reason: string;
}

const minute = 60_000;
const pauses: readonly number[] = [5 * minute, 10 * minute, 20 * minute];
const longestPause = 30 * minute;

/**
 * Holds back pods whose own new node cannot take them: each pass would launch another node in vain. kube-scheduler places
 * them meanwhile as soon as some node can take them.
 */
export class PurchaseBackoff {
  readonly #options: PurchaseBackoffOptions;
  /** By uid of the pod. */
  readonly #holds = new Map<string, Hold>();

  constructor(options: PurchaseBackoffOptions) {
    this.#options = options;
  }

  isHeld(uid: string): boolean {
    return (this.#holds.get(uid)?.until ?? 0) > this.#options.clock.now();
  }

  reasonOf(uid: string): string {
    return this.#holds.get(uid)?.reason ?? "";
  }

  forget(uid: string): void {
    this.#holds.delete(uid);
  }

  /** Whether no node is to be launched for the pod because the one before was launched in vain. */
  holdBack(pod: Pod): boolean {
    const { cluster, clock, telemetry } = this.#options;
    if (this.isHeld(pod.uid)) return true;
    const claim = cluster.claims.get(cluster.intendedPods.claimOf(pod.uid) ?? "");
    const node = claim === undefined ? undefined : cluster.nodesOf(claim)[0];
    if (claim === undefined || node === undefined) return false;
    const reason = misfit(pod, { claim, node, daemonPods: cluster.podsOnNode(node.name).filter(isDaemonPod) });
    if (reason === undefined) return false;
    const holds = this.#holds.get(pod.uid)?.holds ?? 0;
    const until = clock.now() + (pauses[holds] ?? longestPause);
    this.#holds.set(pod.uid, { until, holds: holds + 1, reason });
    cluster.intendedPods.drop(pod.uid);
    telemetry.events.publish({
      object: claimReference(claim),
      type: "Warning",
      reason: "NodeUnsuitable",
      message: `Node "${node.name}" cannot take the pods that it was launched for: ${reason}`,
      sameAs: [claim.uid],
    });
    return true;
  }
}
