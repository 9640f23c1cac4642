import type { ClusterState } from "../../core/cluster/cluster-state.ts";
import type { NodeClaim } from "../../core/model/node-claim.ts";
import { isNodeReady, type NodeObject } from "../../core/model/node-object.ts";
import type { Pod } from "../../core/model/pod.ts";
import { isEphemeralTaint } from "../../core/model/taints.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Telemetry } from "../../ports/telemetry.ts";
import type { KubeClient } from "../../runtime/kube-client.ts";
import { WorkLoop } from "../../runtime/work-loop.ts";
import { areAlike } from "./are-alike.ts";
import { Batch } from "./batch.ts";
import { openingOrder } from "./opening-order.ts";
import { evictsPods, PodPlacement } from "./pod-placement.ts";
import { Strays } from "./strays.ts";

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
}

const concurrency = 32;
/** A node that is not ready so long after it joined is opened all the same. */
const readyPatience = 20_000;
/** So long the first node of a batch that is ready waits for the others. */
const batchPatience = 10_000;
/** kube-scheduler hears of nominations and of nodes on different ways. */
const settlingPause = 300;
/** A pod that lost its nomination gets it again after so long, and so often. */
const renominateDelay = 100;
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
      concurrency,
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
        if (after !== undefined && after.nodeName !== "" && before?.nodeName === "") this.#makeWay(after);
        if (before !== undefined && (after === undefined || after.nodeName !== "")) this.#placement.forget(before.uid);
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

  /** This one does not come: nobody need wait for it. */
  abandon(claimName: string): void {
    this.#leaveBatch(claimName);
  }

  release(): void {
    if (this.#options.policy !== "Suggest") this.#strays.look();
  }

  /** These are bought together. */
  expect(claimNames: readonly string[]): void {
    const { clock, cluster, policy } = this.#options;
    if (policy === "Suggest") return;
    const batch = new Batch(claimNames, {
      clock,
      patience: batchPatience,
      onJoined: (joined) => {
        if (policy === "Nominate") void this.#tellAll(joined);
      },
      prepare: (ready) => this.#makeSure(ready),
      order: (ready) => openingOrder(cluster, ready),
    });
    for (const name of claimNames) this.#batches.set(name, batch);
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
      this.#leaveBatch(claimName);
      return undefined;
    }
    batch.join(claimName);
    if (policy === "Bind") await this.#attempt(() => this.#placement.admit(node));
    const untilOpened = node.createdAt + readyPatience - clock.now();
    if (!isAboutToOpen(node) && untilOpened > 0) return untilOpened;
    // Nobody else gets onto the node meanwhile, so that its pods need not wait for the other nodes.
    if (policy === "Bind") await this.#tellAll([claimName]);
    await batch.ready(claimName);
    this.#batches.delete(claimName);
    return undefined;
  }

  #forget(claimName: string): void {
    this.#told.delete(claimName);
    this.#leaveBatch(claimName);
  }

  #leaveBatch(claimName: string): void {
    this.#batches.get(claimName)?.leave(claimName);
    this.#batches.delete(claimName);
  }

  /** Those that know their place already are left alone. */
  async #tellAll(claimNames: readonly string[]): Promise<void> {
    const { cluster } = this.#options;
    const claims = claimNames.flatMap((name) => cluster.claims.get(name) ?? []);
    for (const { name } of claims) if (!this.#told.has(name)) this.#told.set(name, new Map());
    const pods = claims.flatMap((claim) => this.#podsOf(claim).map((pod) => ({ pod, claim })));
    await inParallel(pods, ({ pod, claim }) => this.#attempt(() => this.#place(pod, claim)));
  }

  async #makeSure(claimNames: readonly string[]): Promise<void> {
    const { cluster, clock, policy } = this.#options;
    const claims = claimNames.flatMap((name) => cluster.claims.get(name) ?? []);
    const nodes = policy === "Bind" ? claims.flatMap((claim) => cluster.nodesOf(claim)[0] ?? []) : [];
    await inParallel(nodes, (node) => this.#attempt(() => this.#placement.admit(node)));
    await this.#tellAll(claimNames);
    await new Promise<void>((done) => clock.after(settlingPause, done));
  }

  #podsOf({ name }: NodeClaim): readonly Pod[] {
    const { cluster } = this.#options;
    return [...cluster.nominations.podsOf(name)].flatMap((uid) => cluster.podByUid(uid) ?? []);
  }

  async #place(pod: Pod, claim: NodeClaim): Promise<void> {
    const told = this.#told.get(claim.name);
    const [node] = this.#options.cluster.nodesOf(claim);
    if (node === undefined || pod.nodeName !== "" || pod.isDeleting) return;
    const isBound = this.#options.policy === "Bind" && claim.startupTaints.length === 0 && this.#hasVolumes(pod);
    // Somebody else has written the node's taints at the same time; it is asked again before the node opens.
    if (isBound && evictsPods(node)) return;
    if (!isBound && (pod.nominatedNodeName === node.name || this.#mustWaitForSibling(pod, claim, node))) return;
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

  /**
   * Of pods that must spread, kube-scheduler counts those that are nominated to the same node and not those nominated to
   * others, so that two of a kind on one node would keep each other out. They are nominated one after the other.
   */
  #mustWaitForSibling(pod: Pod, claim: NodeClaim, node: NodeObject): boolean {
    if (!pod.spec.topologySpread.some(({ isRequired }) => isRequired)) return false;
    return this.#podsOf(claim).some(
      (other) =>
        other.uid !== pod.uid && other.nodeName === "" && other.nominatedNodeName === node.name && areAlike(other, pod),
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

  /** A pod that has its place lets its siblings have theirs. */
  #makeWay(pod: Pod): void {
    const { cluster } = this.#options;
    const node = cluster.nodes.get(pod.nodeName);
    for (const claim of node === undefined ? [] : cluster.claimsOf(node)) {
      for (const sibling of this.#podsOf(claim)) {
        if (this.#hasLostPlace(sibling) && areAlike(sibling, pod)) this.#loop.enqueue(sibling.uid);
      }
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
    // What kube-scheduler has found for it meanwhile, by preemption say, is better than a plan.
    return pod.nominatedNodeName === "" || this.#placement.hasWritten(pod);
  }

  async #renominate(uid: string): Promise<undefined> {
    const { cluster } = this.#options;
    const pod = cluster.podByUid(uid);
    const claim = cluster.claims.get(cluster.nominations.claimOf(uid) ?? "");
    if (pod !== undefined && claim !== undefined && this.#hasLostPlace(pod)) await this.#place(pod, claim);
  }
}

/** Nothing but what we hold ourselves keeps pods away. */
function isAboutToOpen(node: NodeObject): boolean {
  const isClosed = node.taints.some((taint) => isEphemeralTaint(taint) && taint.key !== "karpenter.sh/unregistered");
  return isNodeReady(node) && !isClosed;
}

async function inParallel<T>(items: readonly T[], act: (item: T) => Promise<void>): Promise<void> {
  const next = items[Symbol.iterator]();
  const work = async (): Promise<void> => {
    for (const item of next) await act(item);
  };
  await Promise.all(Array.from({ length: Math.min(concurrency, items.length) }, work));
}
