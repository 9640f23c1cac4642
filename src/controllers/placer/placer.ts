import type { ClusterState } from "../../core/cluster/cluster-state.ts";
import type { NodeObject } from "../../core/model/node-object.ts";
import type { Pod } from "../../core/model/pod.ts";
import { placementStep } from "../../core/placement/placement-step.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Telemetry } from "../../ports/telemetry.ts";
import { inParallel } from "../../runtime/in-parallel.ts";
import { type KubeClient, unless } from "../../runtime/kube-client.ts";
import { pods as podResource } from "../../runtime/resources.ts";
import { WorkLoop } from "../../runtime/work-loop.ts";

export interface PlacerOptions {
  readonly cluster: ClusterState;
  readonly kube: KubeClient;
  readonly clock: Clock;
  readonly telemetry: Telemetry;
}

/** More at once would only wait for each other in the API server. */
const concurrency = 8;

/** Binds pods to the nodes that they are meant for, each node on its own. Runs only with the policy Bind. */
export class Placer {
  readonly #options: PlacerOptions;
  readonly #loop: WorkLoop;
  /** Pods as they were when they were bound: until the watch shows them on their node, they are not bound again. */
  readonly #bound = new WeakSet<Pod>();
  readonly #unsubscribe: (() => void)[] = [];

  constructor(options: PlacerOptions) {
    const { clock, telemetry } = options;
    this.#options = options;
    this.#loop = new WorkLoop({
      name: "provisioner.placement",
      reconcile: (claimName) => this.#place(claimName),
      clock,
      telemetry,
      longestBackoff: 5_000,
    });
  }

  start(): void {
    const { cluster } = this.#options;
    this.#unsubscribe.push(
      cluster.intendedPods.onIntended((claimName) => this.#loop.enqueue(claimName)),
      cluster.nodes.onChange(({ after }) => {
        if (after !== undefined) for (const { name } of cluster.claimsOf(after)) this.#loop.enqueue(name);
      }),
      cluster.pods.onChange(({ after }) => {
        const claimName = after?.nodeName === "" ? cluster.intendedPods.claimOf(after.uid) : undefined;
        if (claimName !== undefined) this.#loop.enqueue(claimName);
      }),
    );
  }

  async stop(): Promise<void> {
    for (const unsubscribe of this.#unsubscribe) unsubscribe();
    await this.#loop.stop();
  }

  async #place(claimName: string): Promise<undefined> {
    const { cluster } = this.#options;
    const claim = cluster.claims.get(claimName);
    if (claim === undefined) return;
    const intendedPods = cluster.podsMeantFor(claimName);
    const node = cluster.nodesOf(claim)[0];
    const podsOnNode = node === undefined ? [] : (cluster.places.byNode().get(node.name) ?? []);
    const step = placementStep({ claim, node, intendedPods, podsOnNode });
    if (step === undefined) return;
    const pods = step.pods.filter((pod) => !this.#bound.has(pod));
    await inParallel(pods, concurrency, (pod) => this.#bind(pod, step.node));
  }

  /** A pod that is bound already, has been deleted or goes with its namespace is no error. */
  async #bind(pod: Pod, node: NodeObject): Promise<void> {
    const { namespace, name, uid } = pod;
    const answer = await this.#options.kube.createSubresource(
      podResource,
      { namespace, name, subresource: "binding" },
      {
        apiVersion: "v1",
        kind: "Binding",
        metadata: { name, namespace, uid },
        target: { apiVersion: "v1", kind: "Node", name: node.name },
      },
    );
    if (!answer.ok && answer.refusal.isNamespaceTerminating) return;
    unless([404, 409], answer, `bind pod ${namespace}/${name} to node "${node.name}"`);
    this.#bound.add(pod);
  }
}
