import type { ClusterState } from "../../core/cluster/cluster-state.ts";
import { openedNode } from "../../core/lifecycle/registration.ts";
import type { NodeClaim } from "../../core/model/node-claim.ts";
import { isNodeReady, type NodeObject } from "../../core/model/node-object.ts";
import type { Pod } from "../../core/model/pod.ts";
import { isEphemeralTaint } from "../../core/model/taints.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Telemetry } from "../../ports/telemetry.ts";
import { inParallel } from "../../runtime/in-parallel.ts";
import type { KubeClient } from "../../runtime/kube-client.ts";
import type { KubeResource } from "../../runtime/kube-object.ts";
import { pause } from "../../runtime/pause.ts";
import { pods as podResource } from "../../runtime/resources.ts";
import { WorkLoop } from "../../runtime/work-loop.ts";
import { Batch } from "./batch.ts";
import { findsItsWay } from "./finds-its-way.ts";
import { openingOrder } from "./opening-order.ts";
import { evictsPods, PodPlacement } from "./pod-placement.ts";
import { Strays } from "./strays.ts";
import { takeTurns } from "./take-turns.ts";

/** Nominate: kube-scheduler is asked to keep the place. Bind: we put pods there. Suggest: only an event says it. */
export type PlacementPolicy = "Nominate" | "Bind" | "Suggest";

export interface PlacerOptions {
  readonly cluster: ClusterState;
  readonly kube: KubeClient;
  readonly clock: Clock;
  readonly telemetry: Telemetry;
  readonly policy: PlacementPolicy;
  /** For nominations, of which there is one for every pod: in a budget of their own they hold up nothing else. */
  readonly nominator: KubeClient;
  /** Whether a version that was written has come back on the watch. */
  readonly hasHeardOf: (resource: KubeResource, version: string) => boolean;
}

/** More at once would only wait for each other in the API server. */
const concurrency = 8;
/** Where others may come already, they take the places of those that are not told yet. */
const urgentConcurrency = 32;
/** A node that is not ready so long after it joined is opened all the same. */
const readyPatience = 20_000;
/** So long the first node of a batch that is ready waits for the others. */
const batchPatience = 10_000;
/** And so long the last few: kube-controller-manager looks for nodes that have become ready every five seconds. */
const patienceWithFew = 5_000;
/**
 * kube-scheduler hears of nominations and of nodes on different ways, and behind a busy API server some come seconds
 * later than others. It takes it hardly longer than us to hear of them; so long we wait for that at most.
 */
const hearingPatience = 5_000;
const hearingPause = 25;
const settlingPause = 50;
/** A pod that lost its nomination gets it again after so long, and so often. */
const renominateDelay = 20;
const mostNominations = 10;

/**
 * Sees to it that pods land where the plan put them. kube-scheduler tries the node that a pod is nominated to first, and
 * keeps the room of nominated pods free for them. An attempt that fails clears the nomination; so pods are nominated
 * when the nodes of their batch could take them, before the first of them does, and again when they lose it.
 */
export class Placer {
  readonly #options: PlacerOptions;
  readonly #placement: PodPlacement;
  readonly #strays: Strays;
  readonly #loop: WorkLoop;
  readonly #batches = new Map<string, Batch>();
  /** Claims whose pods have been told, and how often each of those was. */
  readonly #told = new Map<string, Map<string, number>>();
  readonly #unsubscribe: (() => void)[] = [];
  /** Those of whose nodes all have joined and none is opened, in that order. */
  readonly #joined = new Set<Batch>();

  constructor(options: PlacerOptions) {
    this.#options = options;
    const { clock, telemetry } = options;
    this.#placement = new PodPlacement(options);
    this.#strays = new Strays({
      ...options,
      isOurs: (pod) => this.#placement.hasWritten(pod),
      clear: (pod) => this.#placement.nominate(pod, null),
    });
    this.#loop = new WorkLoop({
      name: "provisioner.placement",
      reconcile: (uid) => this.#renominate(uid),
      clock,
      telemetry,
      concurrency: urgentConcurrency,
      longestBackoff: 5_000,
    });
  }

  start(): void {
    const { cluster, policy } = this.#options;
    if (policy === "Suggest") return;
    this.#strays.start();
    this.#unsubscribe.push(
      cluster.pods.onChange(({ before, after }) => {
        if (after !== undefined && this.#hasLostPlace(after)) this.#loop.enqueue(after.uid, renominateDelay);
        if (before !== undefined && (after === undefined || after.nodeName !== "")) this.#forgetPod(before.uid);
      }),
      cluster.claims.onChange(({ key, after }) => {
        if (after === undefined || after.deletedAt !== undefined) this.#forget(key);
      }),
    );
  }

  async stop(): Promise<void> {
    for (const unsubscribe of this.#unsubscribe) unsubscribe();
    for (const batch of new Set(this.#batches.values())) batch.stop();
    await Promise.all([this.#loop.stop(), this.#strays.stop()]);
  }

  /** Its node is open, or does not come: nobody need wait for it. */
  settle(claimName: string): void {
    this.#batches.get(claimName)?.leave(claimName);
    this.#batches.delete(claimName);
  }

  /** These pods have lost their places: they are not to wait for them any longer. */
  release(podUids: readonly string[]): void {
    const { cluster } = this.#options;
    const pods = podUids.flatMap((uid) => cluster.podByUid(uid) ?? []);
    const told = pods.filter((pod) => pod.nodeName === "" && this.#placement.hasWritten(pod));
    const clear = async (pod: Pod): Promise<void> => {
      // Meanwhile it may have got another.
      if (cluster.nominations.claimOf(pod.uid) === undefined) await this.#placement.nominate(pod, null);
    };
    void inParallel(told, concurrency, (pod) => this.#attempt(() => clear(pod)));
  }

  /** These are bought together. */
  expect(claimNames: readonly string[]): void {
    const { clock, cluster, policy } = this.#options;
    if (policy === "Suggest") return;
    const batch: Batch = new Batch(claimNames, {
      clock,
      patience: batchPatience,
      // Nobody who is bound goes elsewhere meanwhile, and those who are to be are to find their node closed to others.
      patienceWithFew: policy === "Bind" ? batchPatience : patienceWithFew,
      onJoined: (joined) => {
        this.#joined.add(batch);
        void batch.opened.then(() => this.#joined.delete(batch));
        if (policy !== "Nominate") return;
        takeTurns(cluster, joined);
        void this.#tellAll(joined);
      },
      prepare: async (ready) => {
        await this.#waitForOthers(batch);
        await this.#makeSure(ready);
      },
      order: (ready) => openingOrder(cluster, ready),
    });
    for (const name of claimNames) this.#batches.set(name, batch);
  }

  /** Pods have been given places on nodes that are there. Those whose node has told nobody yet are told with the others. */
  tell(claimNames: readonly string[]): void {
    if (this.#options.policy !== "Nominate") return;
    const late = claimNames.filter((name) => this.#told.has(name) || !this.#batches.has(name));
    void this.#tellAll(late, urgentConcurrency);
  }

  /**
   * Before a node takes pods: those that are meant for it are told so, together with those of its batch. Says after how
   * many milliseconds to ask again, undefined once the node may be opened. It waits for the node to be ready, because
   * an attempt to get there before that costs a pod its nomination.
   */
  async prepareNode(claimName: string, node: NodeObject): Promise<number | undefined> {
    const { cluster, clock, policy } = this.#options;
    const batch = this.#batches.get(claimName);
    const hasPods = cluster.nominations.podsOf(claimName).size > 0;
    if (batch === undefined || !hasPods) {
      this.settle(claimName);
      return undefined;
    }
    batch.join(claimName);
    if (policy === "Bind") await this.#attempt(() => this.#placement.admit(node));
    const untilOpened = node.createdAt + readyPatience - clock.now();
    if (!isAboutToOpen(node) && untilOpened > 0) return untilOpened;
    // Nobody else gets onto the node meanwhile, so that its pods need not wait for the other nodes.
    if (policy === "Bind") await this.#tellAll([claimName]);
    await batch.ready(claimName);
    return undefined;
  }

  #forgetPod(podUid: string): void {
    this.#placement.forget(podUid);
    this.#told.get(this.#options.cluster.nominations.claimOf(podUid) ?? "")?.delete(podUid);
  }

  #forget(claimName: string): void {
    this.#told.delete(claimName);
    this.settle(claimName);
  }

  /** Those that know their place already are left alone. */
  async #tellAll(claimNames: readonly string[], atOnce = concurrency): Promise<void> {
    const { cluster } = this.#options;
    const claims = claimNames.flatMap((name) => cluster.claims.get(name) ?? []);
    for (const { name } of claims) if (!this.#told.has(name)) this.#told.set(name, new Map());
    const pods = claims.flatMap((claim) => cluster.podsMeantFor(claim.name).map(({ uid }) => ({ uid, claim })));
    await inParallel(pods, atOnce, ({ uid, claim }) => this.#attempt(() => this.#place(uid, claim)));
  }

  async #makeSure(claimNames: readonly string[]): Promise<void> {
    const { cluster, clock, policy } = this.#options;
    const claims = claimNames.flatMap((name) => cluster.claims.get(name) ?? []);
    const nodes = policy === "Bind" ? claims.flatMap((claim) => cluster.nodesOf(claim)[0] ?? []) : [];
    await inParallel(nodes, concurrency, (node) => this.#attempt(() => this.#placement.admit(node)));
    await this.#tellAll(claimNames);
    await this.#untilHeard();
    await pause(clock, settlingPause);
  }

  async #untilHeard(): Promise<void> {
    const { clock, hasHeardOf } = this.#options;
    const version = this.#placement.lastVersion;
    const until = clock.now() + hearingPatience;
    while (version !== "" && clock.now() < until && !hasHeardOf(podResource, version)) await pause(clock, hearingPause);
  }

  /** Nodes that open wake pods whose own are about to: those that joined earlier are opened earlier. */
  async #waitForOthers(batch: Batch): Promise<void> {
    const joined = [...this.#joined];
    const earlier = joined.slice(0, Math.max(0, joined.indexOf(batch))).map(({ opened }) => opened);
    if (earlier.length > 0) await Promise.race([Promise.all(earlier), pause(this.#options.clock, batchPatience)]);
  }

  async #place(uid: string, claim: NodeClaim): Promise<void> {
    const { cluster } = this.#options;
    const told = this.#told.get(claim.name);
    const [node] = cluster.nodesOf(claim);
    const pod = cluster.podByUid(uid);
    // A plan may have found another place for it meanwhile.
    if (cluster.nominations.claimOf(uid) !== claim.name) return;
    if (node === undefined || pod === undefined || pod.nodeName !== "" || pod.isDeleting) return;
    const isBound = this.#options.policy === "Bind" && claim.startupTaints.length === 0 && this.#hasVolumes(pod);
    // Somebody else has written the node's taints at the same time; it is asked again before the node opens.
    if (isBound && evictsPods(node)) return;
    const isLeftAlone = this.#isServed(pod) || findsItsWay(cluster, pod, claim.name);
    if (!isBound && (pod.nominatedNodeName === node.name || isLeftAlone)) return;
    told?.set(pod.uid, (told.get(pod.uid) ?? 0) + 1);
    if (isBound) await this.#placement.bind(pod, node);
    else await this.#placement.nominate(pod, node.name);
  }

  /** Volumes that are made where their first pod goes are made by kube-scheduler's word only. */
  #hasVolumes({ namespace, spec }: Pod): boolean {
    const { volumeClaims } = this.#options.cluster;
    return spec.volumeClaims.every(
      ({ claimName }) => volumeClaims.get(`${namespace}/${claimName}`)?.isBindCompleted === true,
    );
  }

  /** What fails here is tried again when the pod is seen without its place. */
  async #attempt(act: () => Promise<void>): Promise<void> {
    try {
      await act();
    } catch (error) {
      this.#options.telemetry.log.debug("could not tell a pod where it belongs", { error });
    }
  }

  #hasLostPlace(pod: Pod): boolean {
    const { cluster } = this.#options;
    if (pod.nodeName !== "" || pod.isDeleting) return false;
    const claimName = cluster.nominations.claimOf(pod.uid);
    const told = claimName === undefined ? undefined : this.#told.get(claimName);
    const claim = cluster.claims.get(claimName ?? "");
    if (told === undefined || claim === undefined || (told.get(pod.uid) ?? 0) >= mostNominations) return false;
    if (pod.nominatedNodeName === cluster.nodesOf(claim)[0]?.name) return false;
    return !this.#isServed(pod);
  }

  /** What kube-scheduler has found for a pod, by preemption say, is better than a plan. */
  #isServed(pod: Pod): boolean {
    return pod.nominatedNodeName !== "" && !this.#placement.hasWritten(pod);
  }

  async #renominate(uid: string): Promise<undefined> {
    const { cluster } = this.#options;
    const pod = cluster.podByUid(uid);
    const claim = cluster.claims.get(cluster.nominations.claimOf(uid) ?? "");
    if (pod !== undefined && claim !== undefined && this.#hasLostPlace(pod)) await this.#place(uid, claim);
  }
}

/** Nothing but what goes when it is opened keeps pods away. */
function isAboutToOpen(node: NodeObject): boolean {
  return isNodeReady(node) && !openedNode(node).taints.some(isEphemeralTaint);
}
