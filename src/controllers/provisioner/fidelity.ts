import type { ClusterState } from "../../core/cluster/cluster-state.ts";
import { areAlike } from "../../core/model/are-alike.ts";
import { findCondition } from "../../core/model/condition.ts";
import type { Pod } from "../../core/model/pod.ts";
import { isFinished } from "../../core/model/pod-lifecycle.ts";
import type { Resources } from "../../core/model/resources.ts";
import type { Telemetry } from "../../ports/telemetry.ts";

/** A pod whose node has been ready for so long and that is still not on it does not get there. */
const patience = 10_000;
/**
 * Nor does one that is left over when kube-scheduler is through with the others: some have been bound since its node was
 * opened, but none for so long. Whom it has tried twice in vain it tries again within four seconds.
 */
const quiet = 5_000;

/** Sees whether pods end up where the plan put them. */
export class Fidelity {
  readonly #cluster: ClusterState;
  readonly #telemetry: Telemetry;
  /** Pods that did not get their place at once, and the claim it was on; a node bought for them was not foreseen. */
  readonly #displaced = new Map<string, string>();
  #lastBinding = 0;

  constructor(cluster: ClusterState, telemetry: Telemetry) {
    this.#cluster = cluster;
    this.#telemetry = telemetry;
  }

  /** Says which pods have lost their place with this change, so that they are planned anew. */
  take(before: Pod | undefined, after: Pod | undefined, now: number): readonly string[] {
    const { nominations } = this.#cluster;
    const uid = (after ?? before)?.uid ?? "";
    const planned = this.#displaced.get(uid) ?? nominations.claimOf(uid);
    if (after === undefined || after.isDeleting) this.#forget(uid);
    else if (after.nodeName !== "") {
      const isNews = before === undefined || before.nodeName === "";
      this.#forget(uid);
      if (!isNews) return [];
      if (planned !== undefined) this.#count(after, planned, now);
      return this.#makeRoom(after);
    }
    return [];
  }

  #count(pod: Pod, planned: string, now: number): void {
    this.#lastBinding = now;
    const outcome = this.#isAsPlanned(pod, planned) ? "as_planned" : "elsewhere";
    this.#telemetry.metrics.add("plan_pods_total", { outcome });
    if (outcome === "elsewhere") this.#tellOf("a pod is elsewhere than planned", pod, planned, pod.nodeName);
  }

  /** For whoever wonders why nodes fill otherwise than planned. */
  #tellOf(words: string, { namespace, name }: Pod, planned: string, nodeName: string): void {
    this.#telemetry.log.debug(words, {
      controller: "provisioner",
      Pod: { namespace, name },
      Node: { name: nodeName },
      NodeClaim: { name: planned },
    });
  }

  /**
   * A pod has come onto a node. Those that cannot come there any more because of it are planned anew, at once and not
   * when they have waited in vain. One that is alike was not wrongly planned: it stands in for the pod that took its place.
   */
  #makeRoom(pod: Pod): readonly string[] {
    const { nominations } = this.#cluster;
    const node = this.#cluster.nodes.get(pod.nodeName);
    const [claim] = node === undefined ? [] : this.#cluster.claimsOf(node);
    if (node === undefined || claim === undefined) return [];
    const meant = [...nominations.podsOf(claim.name)]
      .flatMap((uid) => this.#cluster.podByUid(uid) ?? [])
      // kube-scheduler keeps the room of those that are told.
      .sort((one, other) => Number(one.nominatedNodeName === "") - Number(other.nominatedNodeName === ""));
    const there = this.#cluster.podsOnNode(node.name).filter((other) => !isFinished(other));
    // Devices may be missing until the node has started all that it runs.
    const isComplete = findCondition(claim, "Initialized")?.status === "True";
    const { allocatable } = isComplete ? node : claim;
    const dropped: string[] = [];
    while (meant.length > 0 && isOverdrawn(allocatable, [...there, ...meant])) {
      const alike = meant.findLastIndex((other) => areAlike(pod, other));
      for (const other of meant.splice(alike < 0 ? meant.length - 1 : alike, 1)) {
        nominations.drop(other.uid);
        dropped.push(other.uid);
        if (alike >= 0) continue;
        if (!this.#displaced.has(other.uid)) this.#displaced.set(other.uid, claim.name);
        this.#tellOf("a pod has lost its place to another", other, claim.name, node.name);
      }
    }
    return dropped;
  }

  #forget(uid: string): void {
    this.#cluster.nominations.drop(uid);
    this.#displaced.delete(uid);
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
      if (initialized?.status !== "True") continue;
      const openFor = now - initialized.lastTransitionTime;
      for (const uid of [...pods]) {
        const waitsFor = Math.min(openFor, now - nominations.nominatedAt(uid));
        const isQuiet = this.#lastBinding > now - waitsFor && now - this.#lastBinding >= quiet;
        const isLeftOver = isQuiet && !this.#displaced.has(uid);
        if (waitsFor < patience && !isLeftOver) continue;
        nominations.drop(uid);
        dropped.push(uid);
        if (!this.#displaced.has(uid)) this.#displaced.set(uid, claim.name);
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

function isOverdrawn(allocatable: Resources, pods: readonly Pod[]): boolean {
  for (const [resource, amount] of allocatable) {
    if (pods.reduce((sum, { spec }) => sum + (spec.requests.get(resource) ?? 0), 0) > amount) return true;
  }
  return false;
}
