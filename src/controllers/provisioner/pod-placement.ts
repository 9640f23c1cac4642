import type { NodeObject } from "../../core/model/node-object.ts";
import type { Pod } from "../../core/model/pod.ts";
import type { Taint } from "../../core/model/taints.ts";
import type { Clock } from "../../ports/clock.ts";
import { type KubeClient, unless } from "../../runtime/kube-client.ts";
import { isNewerVersion } from "../../runtime/kube-object.ts";
import { pause } from "../../runtime/pause.ts";
import { nodes as nodeResource, pods as podResource } from "../../runtime/resources.ts";

export interface PodPlacementOptions {
  readonly kube: KubeClient;
  readonly clock: Clock;
  readonly nominator: KubeClient;
}

interface Nomination {
  readonly nodeName: string | null;
  readonly written: Promise<void>;
}

/** Writes where pods belong. Whoever was faster, or a pod that has gone, is no mistake. */
export class PodPlacement {
  readonly #options: PodPlacementOptions;
  /** The nodes that pods were nominated to here. */
  readonly #written = new Map<string, string>();
  readonly #underway = new Map<string, Nomination>();
  #lastVersion = "";

  constructor(options: PodPlacementOptions) {
    this.#options = options;
  }

  /** Whether the nomination that the pod has is one of ours. */
  hasWritten({ uid, nominatedNodeName }: Pod): boolean {
    return nominatedNodeName !== "" && this.#written.get(uid) === nominatedNodeName;
  }

  forget(podUid: string): void {
    this.#written.delete(podUid);
  }

  /** Of the nominations, that of the newest. */
  get lastVersion(): string {
    return this.#lastVersion;
  }

  /** Null takes a nomination away. One that is being written already is not written a second time. */
  async nominate(pod: Pod, nodeName: string | null): Promise<void> {
    const underway = this.#underway.get(pod.uid);
    if (underway?.nodeName === nodeName) return underway.written;
    const nomination = { nodeName, written: this.#write(pod, nodeName) };
    this.#underway.set(pod.uid, nomination);
    try {
      await nomination.written;
    } finally {
      if (this.#underway.get(pod.uid) === nomination) this.#underway.delete(pod.uid);
    }
  }

  async #write({ namespace, name, uid }: Pod, nodeName: string | null): Promise<void> {
    if (nodeName !== null) this.#written.set(uid, nodeName);
    const answer = await this.#options.nominator.patch(
      podResource,
      { namespace, name, subresource: "status" },
      { kind: "strategic-merge", body: { metadata: { uid }, status: { nominatedNodeName: nodeName } } },
    );
    // 422: it has been bound meanwhile.
    const pod = unless([404, 409, 422], answer, `nominate pod ${namespace}/${name} to node "${nodeName}"`);
    const version = pod?.metadata.resourceVersion ?? "";
    if (isNewerVersion(version, this.#lastVersion)) this.#lastVersion = version;
  }

  async bind({ namespace, name, uid }: Pod, node: NodeObject): Promise<void> {
    const body = {
      apiVersion: "v1",
      kind: "Binding",
      metadata: { name, namespace, uid },
      target: { apiVersion: "v1", kind: "Node", name: node.name },
    };
    const answer = await this.#options.nominator.createSubresource(
      podResource,
      { namespace, name, subresource: "binding" },
      body,
    );
    unless([404, 409], answer, `bind pod ${namespace}/${name} to node "${node.name}"`);
  }

  /**
   * Lets pods stay that are bound to the node while it is still closed to all others: NoExecute would evict them. Whoever
   * evicts hears of nodes and of pods on different ways, so that nobody is bound before it has heard of the node.
   */
  async admit(node: NodeObject): Promise<void> {
    const { kube, clock } = this.#options;
    const index = node.writtenTaints.findIndex(isEvicting);
    if (index < 0) return;
    const path = `/spec/taints/${index}`;
    const body = [
      { op: "test", path: `${path}/key`, value: "karpenter.sh/unregistered" },
      { op: "replace", path: `${path}/effect`, value: "NoSchedule" },
    ];
    const answer = await kube.patch(nodeResource, { name: node.name }, { kind: "json", body });
    const written = unless([404, 409, 422], answer, `let pods stay on node "${node.name}"`);
    if (written !== undefined) await pause(clock, hearingMilliseconds);
  }
}

/** Within so long, controllers of Kubernetes hear of a node, also when the API server is busy. */
const hearingMilliseconds = 1_500;

/** Whether pods that are bound to the node now would be evicted at once. */
export function evictsPods({ taints }: NodeObject): boolean {
  return taints.some(isEvicting);
}

function isEvicting({ key, effect }: Taint): boolean {
  return key === "karpenter.sh/unregistered" && effect === "NoExecute";
}
