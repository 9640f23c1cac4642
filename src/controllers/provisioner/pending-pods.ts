import type { ClusterState } from "../../core/cluster/cluster-state.ts";
import type { Pod } from "../../core/model/pod.ts";
import { isProvisionable } from "../../core/model/pod-lifecycle.ts";

/** Pods that kube-scheduler found no place for, as they come and go, and when each was first seen pending. */
export class PendingPods {
  readonly #cluster: ClusterState;
  readonly #since = new Map<string, number>();
  readonly #decided = new Set<string>();

  constructor(cluster: ClusterState) {
    this.#cluster = cluster;
  }

  /** Uids of those that no plan has found a node for. */
  get unplanned(): string[] {
    return [...this.#since.keys()].filter((uid) => this.#cluster.intendedPods.claimOf(uid) === undefined);
  }

  /** How long those pods had waited that are decided on for the first time. */
  decide(pods: readonly Pod[], now: number): number[] {
    return pods.flatMap(({ uid }) => {
      const since = this.#since.get(uid);
      if (since === undefined || this.#decided.has(uid)) return [];
      this.#decided.add(uid);
      return [now - since];
    });
  }

  /** Whether this change made the pod one that waits for a plan. */
  take(before: Pod | undefined, after: Pod | undefined, now: number): boolean {
    const uid = (after ?? before)?.uid ?? "";
    if (after === undefined || !isProvisionable(after, (name) => this.#cluster.nodes.get(name) !== undefined)) {
      this.#forget(uid);
      return false;
    }
    // A pod of the same name that came in the place of another is another pod.
    if (before !== undefined && before.uid !== uid) this.#forget(before.uid);
    if (!this.#since.has(uid)) this.#since.set(uid, now);
    return this.#cluster.intendedPods.claimOf(uid) === undefined;
  }

  #forget(uid: string): void {
    this.#since.delete(uid);
    this.#decided.delete(uid);
  }
}
