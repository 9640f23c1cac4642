import type { Node, Pod } from "kubernetes-types/core/v1.js";
import type { ControlLoop } from "../control-loop.ts";
import { isPodFinished } from "../pod-state.ts";
import { keyOf } from "../storage/collection.ts";
import { deleteDisrupted } from "./delete-disrupted.ts";
import type { ObjectIndex } from "./object-index.ts";
import { Resource, type Stored } from "./resource.ts";
import { controlLoop, type RunningPart, type WorkloadContext } from "./workload-context.ts";

/** How long a node must be missing until its pods are taken for lost. */
const quarantineMilliseconds = 40_000;
const mostFinishedPods = 12_500;
const finishedKey = "finished pods";

/** Deletes pods whose node is gone, and the oldest finished pods when there are too many. */
export class PodGarbageCollector implements RunningPart {
  readonly #context: WorkloadContext;
  readonly #pods: Resource<Pod>;
  readonly #nodes: Resource<Node>;
  readonly #podsByNode: ObjectIndex<Pod>;
  readonly #finished = new Set<string>();
  readonly #loop: ControlLoop;
  readonly #stops: (() => void)[];

  constructor(context: WorkloadContext, podsByNode: ObjectIndex<Pod>) {
    this.#context = context;
    this.#pods = new Resource<Pod>(context.api, "", "pods");
    this.#nodes = new Resource<Node>(context.api, "", "nodes");
    this.#podsByNode = podsByNode;
    this.#loop = controlLoop(context, "pod garbage collector", (key) => this.#reconcile(key));
    this.#stops = [
      this.#nodes.subscribe(({ type, object }) => {
        if (type === "DELETED") this.#loop.enqueue(`node ${object.metadata.name}`, quarantineMilliseconds);
      }),
      this.#pods.subscribe(({ type, object }) => {
        if (type === "DELETED") this.#finished.delete(keyOf(object));
        else this.#see(object);
      }),
    ];
    for (const pod of this.#pods.list()) this.#see(pod);
  }

  stop(): void {
    for (const stop of this.#stops) stop();
    this.#loop.stop();
  }

  #see(pod: Stored<Pod>): void {
    const node = pod.spec?.nodeName ?? "";
    if (node !== "" && this.#nodes.find(node) === undefined) this.#loop.enqueue(`node ${node}`, quarantineMilliseconds);
    if (!isPodFinished(pod)) return;
    this.#finished.add(keyOf(pod));
    if (this.#finished.size > mostFinishedPods) this.#loop.enqueue(finishedKey);
  }

  #reconcile(key: string): void {
    if (key === finishedKey) this.#deleteFinished();
    else this.#deleteLost(key.slice("node ".length));
  }

  #deleteLost(node: string): void {
    if (this.#nodes.find(node) !== undefined) return;
    const now = this.#context.clock.now();
    for (const pod of this.#podsByNode.get(node)) {
      const why = { reason: "DeletionByPodGC", message: "PodGC: node no longer exists" };
      deleteDisrupted(this.#pods, pod, { ...why, now, isForced: true });
    }
  }

  #deleteFinished(): void {
    const pods = [...this.#finished].map((key) => this.#pods.find(key)).filter((pod) => pod !== undefined);
    const oldestFirst = pods.sort((a, b) => (a.metadata.creationTimestamp < b.metadata.creationTimestamp ? -1 : 1));
    for (const pod of oldestFirst.slice(0, Math.max(0, pods.length - mostFinishedPods))) {
      this.#pods.delete(pod, { gracePeriodSeconds: 0 });
    }
  }
}
