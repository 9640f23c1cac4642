import type { ClusterState } from "../../core/cluster/cluster-state.ts";
import type { NodeClaim } from "../../core/model/node-claim.ts";
import { isNodeReady, type NodeObject } from "../../core/model/node-object.ts";
import type { Pod } from "../../core/model/pod.ts";
import { isEphemeralTaint } from "../../core/model/taints.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Telemetry } from "../../ports/telemetry.ts";
import { type KubeClient, unless } from "../../runtime/kube-client.ts";
import { pods as podResource } from "../../runtime/resources.ts";
import { WorkLoop } from "../../runtime/work-loop.ts";

/** Nominate: kube-scheduler is asked to keep the place. Bind: we put pods there. Suggest: only an event says it. */
export type PlacementPolicy = "Nominate" | "Bind" | "Suggest";

export interface PlacerOptions {
  readonly cluster: ClusterState;
  readonly kube: KubeClient;
  readonly clock: Clock;
  readonly telemetry: Telemetry;
  readonly policy: PlacementPolicy;
}

const concurrency = 20;
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
    this.#unsubscribe.push(
      cluster.pods.onChange(({ after }) => {
        if (after !== undefined && this.#isUnplaced(after)) this.#loop.enqueue(after.uid, renominateDelay);
      }),
      cluster.claims.onChange(({ key, after }) => {
        if (after === undefined) this.#prepared.delete(key);
      }),
      cluster.nodes.onChange(({ after }) => {
        if (policy === "Bind" && after !== undefined && isOpen(after)) this.#bindAll(after);
      }),
    );
  }

  async stop(): Promise<void> {
    for (const unsubscribe of this.#unsubscribe) unsubscribe();
    await this.#loop.stop();
  }

  /** Before the node takes pods: those that are meant for it are told so. Returns when that is done or has failed. */
  async prepareNode(claimName: string): Promise<void> {
    const { cluster, policy } = this.#options;
    if (policy === "Suggest") return;
    this.#prepared.add(claimName);
    const uids = [...cluster.nominations.podsOf(claimName)];
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
    if (pod === undefined || pod.nodeName !== "" || pod.isDeleting || node === undefined) return;
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
    if (this.#isPlaced(pod)) return;
    const answer = await kube.patch(
      podResource,
      { namespace, name, subresource: "status" },
      { body: { metadata: { uid }, status: { nominatedNodeName: node.name } } },
    );
    unless([404, 409], answer, `nominate pod ${namespace}/${name} to node "${node.name}"`);
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
