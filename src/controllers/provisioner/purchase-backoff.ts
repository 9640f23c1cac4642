import { claimReference } from "../../core/api/references.ts";
import type { ClusterState } from "../../core/cluster/cluster-state.ts";
import { growingPause, longestPause } from "../../core/model/growing-pause.ts";
import { initializedLabel, nodePoolLabel } from "../../core/model/labels.ts";
import type { NodeObject } from "../../core/model/node-object.ts";
import type { Pod } from "../../core/model/pod.ts";
import { isDaemonPod } from "../../core/model/pod-lifecycle.ts";
import { describeForeignTaint, taintName } from "../../core/model/taints.ts";
import { controllerUid } from "../../core/model/workload.ts";
import { foreignTaints, type LaunchedNode } from "../../core/placement/foreign-taints.ts";
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

/** Other controllers may come to a node a little after it has started. */
const youngMilliseconds = 60_000;

/** Learns from new nodes that cannot take the pods that they were launched for: each pass would launch another in vain. */
export class PurchaseBackoff {
  readonly #options: PurchaseBackoffOptions;
  /** By uid of the workload, or of a pod without one: its next pod would be as unlucky. */
  readonly #holds = new Map<string, Hold>();

  constructor(options: PurchaseBackoffOptions) {
    this.#options = options;
  }

  /** Of each NodePool, the newest node: it may have been launched by another process. */
  start(): void {
    const { cluster, clock } = this.#options;
    cluster.observedTaints.clear();
    const newest = new Map<string, LaunchedNode>();
    for (const node of cluster.nodes.values()) {
      const claim = cluster.claimsOf(node)[0];
      const poolName = claim?.labels.get(nodePoolLabel);
      if (claim === undefined || poolName === undefined) continue;
      if (node.createdAt > (newest.get(poolName)?.node.createdAt ?? 0)) newest.set(poolName, { claim, node });
    }
    for (const [poolName, launched] of newest)
      cluster.observedTaints.suspect(poolName, foreignTaints(launched), clock.now());
  }

  /** While a node starts it shows what every new node of its NodePool is given. Returns whether a taint is gone. */
  observeNode(before: NodeObject | undefined, node: NodeObject): boolean {
    const { cluster, clock } = this.#options;
    const claim = cluster.claimsOf(node)[0];
    const poolName = claim?.labels.get(nodePoolLabel);
    if (claim === undefined || poolName === undefined) return false;
    const taints = foreignTaints({ claim, node });
    // An administrator may taint a node at any later time, and that says nothing of new ones.
    if (!isInitialized(before) || clock.now() - node.createdAt < youngMilliseconds) {
      for (const taint of cluster.observedTaints.add(poolName, taints, clock.now()))
        this.#report({ claim, node }, describeForeignTaint(taint), taintName(taint));
    }
    if (isInitialized(node) && !isInitialized(before)) return cluster.observedTaints.keepOnly(poolName, taints);
    const names = new Set(taints.map(taintName));
    const had = before === undefined ? [] : foreignTaints({ claim, node: before });
    return cluster.observedTaints.remove(
      poolName,
      had.filter((taint) => !names.has(taintName(taint))),
    );
  }

  isHeld(pod: Pod): boolean {
    const key = keyOf(pod);
    const hold = this.#holds.get(key);
    const now = this.#options.clock.now();
    if (hold !== undefined && now > hold.until + longestPause) this.#holds.delete(key);
    return hold !== undefined && hold.until > now;
  }

  reasonOf(pod: Pod): string {
    return this.#holds.get(keyOf(pod))?.reason ?? "";
  }

  /** Whether no node is to be launched for the pod because the one before was launched in vain. */
  holdBack(pod: Pod): boolean {
    const { cluster, clock } = this.#options;
    if (this.isHeld(pod)) return true;
    const launched = cluster.nodeMeantFor(pod.uid);
    if (launched === undefined) return false;
    const { node } = launched;
    const reason = misfit(pod, launched, cluster.podsOnNode(node.name).filter(isDaemonPod));
    if (reason === undefined) return false;
    const holds = (this.#holds.get(keyOf(pod))?.holds ?? 0) + 1;
    this.#holds.set(keyOf(pod), {
      until: clock.now() + growingPause(holds),
      holds,
      reason: `Node "${node.name}" cannot take the pods that it was launched for: ${reason}`,
    });
    cluster.intendedPods.drop(pod.uid);
    this.#report(launched, reason);
    return true;
  }

  #report({ claim, node }: LaunchedNode, reason: string, ...sameAs: readonly string[]): void {
    this.#options.telemetry.events.publish({
      object: claimReference(claim),
      type: "Warning",
      reason: "NodeUnsuitable",
      message: `Node "${node.name}" cannot take the pods that it was launched for: ${reason}`,
      sameAs: [claim.uid, ...sameAs],
    });
  }
}

function keyOf(pod: Pod): string {
  return controllerUid(pod) || pod.uid;
}

function isInitialized(node: NodeObject | undefined): boolean {
  return node?.labels.get(initializedLabel) === "true";
}
