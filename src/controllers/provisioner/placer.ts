import type { ClusterState } from "../../core/cluster/cluster-state.ts";
import type { NodeClaim } from "../../core/model/node-claim.ts";
import { isNodeReady, type NodeObject } from "../../core/model/node-object.ts";
import type { Pod } from "../../core/model/pod.ts";
import { isEphemeralTaint } from "../../core/model/taints.ts";
import type { Clock, Timer } from "../../ports/clock.ts";
import type { Telemetry } from "../../ports/telemetry.ts";
import { type KubeClient, unless } from "../../runtime/kube-client.ts";
import { pods as podResource } from "../../runtime/resources.ts";
import { WorkLoop } from "../../runtime/work-loop.ts";

/** Nominate: kube-scheduler is asked to keep the place. Bind: we put pods there. Suggest: only an event says it. */
export type PlacementPolicy = "Nominate" | "Bind" | "Suggest";

/** Claims that were bought together. */
interface Batch {
  /** Those whose pods have not been told yet. */
  readonly waiting: Set<string>;
  firstReadyAt: number | undefined;
}

export interface PlacerOptions {
  readonly cluster: ClusterState;
  readonly kube: KubeClient;
  readonly clock: Clock;
  readonly telemetry: Telemetry;
  readonly policy: PlacementPolicy;
  /** For nominations, of which there is one for every pod: in a budget of their own they hold up nothing else. */
  readonly nominator: KubeClient;
}

const concurrency = 20;
/** A node that is not ready so long after it joined is opened all the same. */
const readyPatience = 20_000;
/** So long the first node of a batch that is ready waits for the others. */
const batchPatience = 2_000;
const batchPoll = 100;
/** So long a pod may keep a nomination that nobody here knows of: it may have been written before a restart. */
const strayPatience = 20_000;
const sweepPause = 5_000;
/** A pod that lost its nomination gets it again after so long. */
const renominateDelay = 100;

/**
 * Sees to it that pods land where the plan put them. kube-scheduler keeps the room of nominated pods free for them, so
 * they are nominated before their node takes its first pod; a failed attempt clears the nomination, so it is written
 * again as long as the node has the pod's place.
 */
export class Placer {
  readonly #options: PlacerOptions;
  readonly #loop: WorkLoop;
  /** Nodes that have been made ready for their pods. */
  readonly #prepared = new Set<string>();
  /** Pods with a nomination that nobody here knows of, and since when. */
  #strays = new Map<string, number>();
  #timer: Timer | undefined;
  readonly #batches = new Map<string, Batch>();
  readonly #unsubscribe: (() => void)[] = [];

  constructor(options: PlacerOptions) {
    this.#options = options;
    const { clock, telemetry } = options;
    this.#loop = new WorkLoop({
      name: "provisioner.placement",
      reconcile: (uid) => this.#place(uid),
      clock,
      telemetry,
      concurrency,
      longestBackoff: 5_000,
    });
  }

  start(): void {
    const { cluster, policy } = this.#options;
    if (policy === "Suggest") return;
    this.#sweep();
    this.#unsubscribe.push(
      cluster.pods.onChange(({ after }) => {
        if (after !== undefined && this.#isUnplaced(after)) this.#loop.enqueue(after.uid, renominateDelay);
      }),
      cluster.claims.onChange(({ key, after }) => {
        if (after?.deletedAt === undefined && after !== undefined) return;
        this.#prepared.delete(key);
        this.#release(key);
      }),
      cluster.nodes.onChange(({ after }) => {
        if (policy === "Bind" && after !== undefined && isOpen(after)) this.#bindAll(after);
      }),
    );
  }

  /** Pods that are nominated to a node of ours which is not theirs, for all we know, hold up themselves and others. */
  #sweep(): void {
    const { cluster, clock } = this.#options;
    const now = clock.now();
    const strays = new Map<string, number>();
    for (const pod of cluster.pods.values()) {
      if (!this.#isStray(pod)) continue;
      const since = this.#strays.get(pod.uid) ?? now;
      strays.set(pod.uid, since);
      if (now - since >= strayPatience) this.#loop.enqueue(pod.uid);
    }
    this.#strays = strays;
    this.#timer = clock.after(sweepPause, () => this.#sweep());
  }

  #isStray(pod: Pod): boolean {
    const { cluster } = this.#options;
    if (pod.nodeName !== "" || pod.nominatedNodeName === "" || cluster.nominations.claimOf(pod.uid) !== undefined)
      return false;
    const node = cluster.nodes.get(pod.nominatedNodeName);
    return node !== undefined && cluster.claimsOf(node).length > 0;
  }

  async stop(): Promise<void> {
    this.#timer?.cancel();
    for (const unsubscribe of this.#unsubscribe) unsubscribe();
    await this.#loop.stop();
  }

  /** These are bought together: what one of them has room for belongs to the pods of all. */
  expect(claimNames: readonly string[]): void {
    const batch: Batch = { waiting: new Set(claimNames), firstReadyAt: undefined };
    for (const name of claimNames) this.#batches.set(name, batch);
  }

  /**
   * Before the node takes pods: those that are meant for it are told so. Says after how many milliseconds to ask again,
   * undefined once the node may be opened. It waits for the node to be ready, because an attempt to get there before
   * that costs a pod its nomination, and for the others of its batch, because pods that find no place at first go
   * wherever there is room, and then the plan of the others does not come true.
   */
  async prepareNode(claimName: string, node: NodeObject): Promise<number | undefined> {
    const { cluster, clock, policy } = this.#options;
    const uids = [...cluster.nominations.podsOf(claimName)];
    if (policy === "Suggest" || uids.length === 0) return this.#release(claimName);
    const now = clock.now();
    if (!isAboutToOpen(node) && now < node.createdAt + readyPatience) return readyPatience;
    if (!this.#prepared.has(claimName)) {
      this.#prepared.add(claimName);
      await this.#placeAll(uids);
    }
    const batch = this.#batches.get(claimName);
    if (batch === undefined) return undefined;
    batch.waiting.delete(claimName);
    batch.firstReadyAt ??= now;
    if (batch.waiting.size > 0 && clock.now() < batch.firstReadyAt + batchPatience) return batchPoll;
    return this.#release(claimName);
  }

  #release(claimName: string): undefined {
    this.#batches.get(claimName)?.waiting.delete(claimName);
    this.#batches.delete(claimName);
    return undefined;
  }

  async #placeAll(uids: readonly string[]): Promise<void> {
    const next = uids[Symbol.iterator]();
    const work = async (): Promise<void> => {
      for (const uid of next) {
        try {
          await this.#place(uid);
        } catch {
          this.#loop.enqueue(uid, renominateDelay);
        }
      }
    };
    await Promise.all(Array.from({ length: Math.min(concurrency, uids.length) }, work));
  }

  #isUnplaced(pod: Pod): boolean {
    const claimName = this.#options.cluster.nominations.claimOf(pod.uid);
    return claimName !== undefined && this.#prepared.has(claimName) && pod.nodeName === "" && !this.#isPlaced(pod);
  }

  #isPlaced(pod: Pod): boolean {
    return pod.nominatedNodeName !== "" && pod.nominatedNodeName === this.#nodeFor(pod.uid)?.name;
  }

  #claimFor(uid: string): NodeClaim | undefined {
    const { cluster } = this.#options;
    return cluster.claims.get(cluster.nominations.claimOf(uid) ?? "");
  }

  #nodeFor(uid: string): NodeObject | undefined {
    const claim = this.#claimFor(uid);
    return claim === undefined ? undefined : this.#options.cluster.nodesOf(claim)[0];
  }

  async #place(uid: string): Promise<undefined> {
    const { cluster, kube, policy } = this.#options;
    const pod = cluster.podByUid(uid);
    const node = this.#nodeFor(uid);
    if (pod === undefined || pod.nodeName !== "" || pod.isDeleting) return;
    if (node === undefined) {
      if (this.#isStray(pod)) await this.#nominate(pod, null);
      return;
    }
    const { namespace, name } = pod;
    if (policy === "Bind" && isOpen(node)) {
      const body = {
        apiVersion: "v1",
        kind: "Binding",
        metadata: { name, namespace, uid },
        target: { apiVersion: "v1", kind: "Node", name: node.name },
      };
      const answer = await kube.createSubresource(podResource, { namespace, name, subresource: "binding" }, body);
      // Somebody else was faster, or the pod has gone: both are fine.
      unless([404, 409], answer, `bind pod ${namespace}/${name} to node "${node.name}"`);
      return;
    }
    if (!this.#isPlaced(pod)) await this.#nominate(pod, node.name);
  }

  async #nominate({ namespace, name, uid }: Pod, nodeName: string | null): Promise<void> {
    const answer = await this.#options.nominator.patch(
      podResource,
      { namespace, name, subresource: "status" },
      { body: { metadata: { uid }, status: { nominatedNodeName: nodeName } } },
    );
    // 422: it has been bound meanwhile.
    unless([404, 409, 422], answer, `nominate pod ${namespace}/${name} to node "${nodeName}"`);
  }

  #bindAll(node: NodeObject): void {
    for (const { name } of this.#options.cluster.claimsOf(node)) {
      for (const uid of this.#options.cluster.nominations.podsOf(name)) this.#loop.enqueue(uid);
    }
  }
}

/** Nothing keeps pods away that will go by itself. */
function isOpen(node: NodeObject): boolean {
  return isNodeReady(node) && !node.taints.some(isEphemeralTaint);
}

/** Nothing but what we hold ourselves keeps pods away. */
function isAboutToOpen(node: NodeObject): boolean {
  return (
    isNodeReady(node) &&
    !node.taints.some((taint) => isEphemeralTaint(taint) && taint.key !== "karpenter.sh/unregistered")
  );
}
