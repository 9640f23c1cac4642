import type { ClusterState } from "../../core/cluster/cluster-state.ts";
import { areAlike } from "../../core/model/are-alike.ts";
import { findCondition } from "../../core/model/condition.ts";
import type { NodeClaim } from "../../core/model/node-claim.ts";
import type { Pod } from "../../core/model/pod.ts";
import { isEphemeralTaint } from "../../core/model/taints.ts";
import type { LogFields, Telemetry } from "../../ports/telemetry.ts";
import { findCrowdedOut, isCrowded } from "./crowded-out.ts";

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
  /** Pods that one like them, which had not got its place, has taken the place of: a node for them was not foreseen either. */
  readonly #standIns = new Set<string>();
  #lastBinding = 0;

  constructor(cluster: ClusterState, telemetry: Telemetry) {
    this.#cluster = cluster;
    this.#telemetry = telemetry;
  }

  /** Says which pods have lost their place with this change, so that they are planned anew. */
  take(before: Pod | undefined, after: Pod | undefined, now: number): readonly string[] {
    const { nominations } = this.#cluster;
    const uid = (after ?? before)?.uid ?? "";
    const place = nominations.claimOf(uid);
    const planned = this.#displaced.get(uid) ?? place;
    const isUnforeseen = this.#isUnforeseen(uid);
    if (after === undefined || after.isDeleting) this.#forget(uid);
    else if (after.nodeName !== "") {
      this.#forget(uid);
      if (before !== undefined && before.nodeName !== "") return [];
      const isHome = this.#isOf(after.nodeName, place);
      const isExchanged = !isHome && this.#exchange(after, place);
      if (planned !== undefined) this.#count(after, { planned, isExchanged: isExchanged && place === planned }, now);
      const claim = this.#claimOfNode(after);
      // Whoever has come to a place of its own takes nobody's.
      if (claim !== undefined && !isHome && !isExchanged) return this.#dropDisplaced(claim, after, isUnforeseen);
    } else if (before !== undefined && place !== undefined && this.#isRefused(before, after, place)) {
      nominations.doubt(uid);
      return this.#dropRefused(after, place);
    }
    return [];
  }

  /** kube-scheduler has taken back the nomination to its place, and not because the node is still closed. */
  #isRefused({ nominatedNodeName }: Pod, after: Pod, place: string): boolean {
    if (nominatedNodeName === "" || after.nominatedNodeName !== "" || !this.#isOf(nominatedNodeName, place))
      return false;
    return this.#cluster.nodes.get(nominatedNodeName)?.taints.some(isEphemeralTaint) === false;
  }

  #dropRefused(pod: Pod, place: string): readonly string[] {
    const claim = this.#cluster.claims.get(place);
    if (claim === undefined || !isCrowded(this.#cluster, claim, pod)) return [];
    this.#displace(pod, place);
    this.#tellOf("a pod was refused where it belongs, and there is no room left", pod, place, pod.nodeName);
    return [pod.uid];
  }

  #displace({ uid }: Pod, place: string): void {
    this.#cluster.nominations.drop(uid);
    if (!this.#displaced.has(uid)) this.#displaced.set(uid, place);
  }

  /** Those that somebody else was faster than, while they were planned. */
  dropOvertaken(claim: NodeClaim): readonly string[] {
    const overtaken = findCrowdedOut(this.#cluster, claim);
    for (const { uid } of overtaken) this.#cluster.nominations.drop(uid);
    return overtaken.map(({ uid }) => uid);
  }

  /**
   * Those that cannot come to a node any more lose their place at once, and not when they have waited in vain. One that
   * is like the newcomer was not wrongly planned: it stands in for the pod that took its place.
   */
  #dropDisplaced(claim: NodeClaim, newcomer: Pod, isUnforeseen: boolean): readonly string[] {
    const by = { namespace: newcomer.namespace, name: newcomer.name };
    return findCrowdedOut(this.#cluster, claim, newcomer).map((pod) => {
      if (areAlike(pod, newcomer)) {
        this.#cluster.nominations.drop(pod.uid);
        if (isUnforeseen) this.#standIns.add(pod.uid);
      } else {
        this.#displace(pod, claim.name);
        this.#tellOf("a pod has lost its place to another", pod, claim.name, newcomer.nodeName, { by });
      }
      return pod.uid;
    });
  }

  /** By the first plan that had a place for it. */
  #count(pod: Pod, { planned, isExchanged }: { planned: string; isExchanged: boolean }, now: number): void {
    this.#lastBinding = now;
    const isAsPlanned = isExchanged || this.#isOf(pod.nodeName, planned);
    this.#telemetry.metrics.add("plan_pods_total", { outcome: isAsPlanned ? "as_planned" : "elsewhere" });
    if (!isAsPlanned) this.#tellOf("a pod is elsewhere than planned", pod, planned, pod.nodeName);
  }

  /** For whoever wonders why nodes fill otherwise than planned. */
  #tellOf(words: string, { namespace, name }: Pod, planned: string, nodeName: string, more: LogFields = {}): void {
    this.#telemetry.log.debug(words, {
      controller: "provisioner",
      Pod: { namespace, name },
      Node: { name: nodeName },
      NodeClaim: { name: planned },
      ...more,
    });
  }

  #forget(uid: string): void {
    this.#cluster.nominations.drop(uid);
    this.#displaced.delete(uid);
    this.#standIns.delete(uid);
  }

  #isUnforeseen(uid: string): boolean {
    return this.#displaced.has(uid) || this.#standIns.has(uid);
  }

  #claimOfNode({ nodeName }: Pod): NodeClaim | undefined {
    const node = this.#cluster.nodes.get(nodeName);
    return node === undefined ? undefined : this.#cluster.claimsOf(node)[0];
  }

  #isOf(nodeName: string, claimName: string | undefined): boolean {
    const claim = this.#cluster.claims.get(claimName ?? "");
    return claim !== undefined && this.#cluster.nodesOf(claim).some(({ name }) => name === nodeName);
  }

  /** Pods that are alike can stand in for each other: one that took the place of another leaves its own to that one. */
  #exchange(pod: Pod, place: string | undefined): boolean {
    const { nominations } = this.#cluster;
    const claim = this.#claimOfNode(pod);
    if (claim === undefined || place === undefined) return false;
    for (const uid of nominations.podsOf(claim.name)) {
      const other = this.#cluster.podByUid(uid);
      if (other === undefined || other.nodeName !== "" || !areAlike(pod, other)) continue;
      nominations.nominate(uid, place, nominations.nominatedAt(uid));
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
    if (!podUids.some((uid) => this.#isUnforeseen(uid))) return;
    this.#telemetry.metrics.add("plan_second_wave_nodes_total", { nodepool });
    this.#telemetry.log.info("bought a node that the plan before had not foreseen", { NodePool: { name: nodepool } });
  }
}
