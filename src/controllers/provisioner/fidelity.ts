import type { ClusterState } from "../../core/cluster/cluster-state.ts";
import { findCondition } from "../../core/model/condition.ts";
import type { Pod } from "../../core/model/pod.ts";
import type { Telemetry } from "../../ports/telemetry.ts";
import { areAlike } from "./are-alike.ts";

/** A pod whose node has been ready for so long and that is still not on it does not get there. */
const patience = 10_000;

/** Sees whether pods end up where the plan put them. */
export class Fidelity {
  readonly #cluster: ClusterState;
  readonly #telemetry: Telemetry;
  /** Pods that had a place which they did not get; a node bought for them is one that the first plan had not foreseen. */
  readonly #displaced = new Set<string>();

  constructor(cluster: ClusterState, telemetry: Telemetry) {
    this.#cluster = cluster;
    this.#telemetry = telemetry;
  }

  take(before: Pod | undefined, after: Pod | undefined): void {
    const uid = (after ?? before)?.uid ?? "";
    const claimName = this.#cluster.nominations.claimOf(uid);
    const isDisplaced = this.#displaced.has(uid);
    if (after === undefined || after.nodeName !== "") this.#displaced.delete(uid);
    if (claimName === undefined) return;
    if (after === undefined || after.isDeleting) this.#cluster.nominations.drop(uid);
    else if (after.nodeName !== "" && (before === undefined || before.nodeName === "")) {
      this.#cluster.nominations.drop(uid);
      const outcome = this.#isAsPlanned(after, claimName) ? "as_planned" : "elsewhere";
      // What lost its place once has been counted then.
      if (!isDisplaced) this.#telemetry.metrics.add("plan_pods_total", { outcome });
    }
  }

  /** Pods that are alike can stand in for each other: one that took the place of another leaves its own to that one. */
  #isAsPlanned(pod: Pod, claimName: string): boolean {
    const { nominations, claims, nodes } = this.#cluster;
    const planned = claims.get(claimName);
    if (planned !== undefined && this.#cluster.nodesOf(planned).some(({ name }) => name === pod.nodeName)) return true;
    const node = nodes.get(pod.nodeName);
    const [claim] = node === undefined ? [] : this.#cluster.claimsOf(node);
    for (const uid of claim === undefined ? [] : nominations.podsOf(claim.name)) {
      const other = this.#cluster.podByUid(uid);
      if (other === undefined || other.nodeName !== "" || !areAlike(pod, other)) continue;
      nominations.nominate(uid, claimName, nominations.nominatedAt(uid));
      return true;
    }
    return false;
  }

  /** Lets go of pods that have not taken the place that was theirs; says which, so that they are planned anew. */
  dropStale(now: number): readonly string[] {
    const dropped: string[] = [];
    const { claims, nominations } = this.#cluster;
    nominations.dropUnless((name) => {
      const claim = claims.get(name);
      // Pods are meant for a claim before it is written, so that one which is not there yet counts for a while.
      return claim === undefined ? this.#isNew(name, now) : claim.deletedAt === undefined;
    });
    for (const claim of this.#cluster.claims.values()) {
      const pods = this.#cluster.nominations.podsOf(claim.name);
      if (pods.size === 0) continue;
      const initialized = findCondition(claim, "Initialized");
      if (initialized?.status !== "True" || now - initialized.lastTransitionTime < patience) continue;
      for (const uid of [...pods]) {
        if (now - this.#cluster.nominations.nominatedAt(uid) < patience) continue;
        this.#cluster.nominations.drop(uid);
        dropped.push(uid);
        if (this.#displaced.has(uid)) continue;
        this.#displaced.add(uid);
        this.#telemetry.metrics.add("plan_pods_total", { outcome: "elsewhere" });
      }
    }
    return dropped;
  }

  #isNew(claimName: string, now: number): boolean {
    const { nominations } = this.#cluster;
    return [...nominations.podsOf(claimName)].some((uid) => now - nominations.nominatedAt(uid) < patience);
  }

  countSecondWave(nodepool: string, podUids: readonly string[]): void {
    if (!podUids.some((uid) => this.#displaced.has(uid))) return;
    this.#telemetry.metrics.add("plan_second_wave_nodes_total", { nodepool });
    this.#telemetry.log.info("bought a node that the plan before had not foreseen", { NodePool: { name: nodepool } });
  }
}
