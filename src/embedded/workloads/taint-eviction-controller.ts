import type { Node, Pod, Taint } from "kubernetes-types/core/v1.js";
import type { ControlLoop } from "../control-loop.ts";
import { isTolerated } from "../scheduler/tolerations.ts";
import { keyOf } from "../storage/collection.ts";
import { deleteDisrupted } from "./delete-disrupted.ts";
import type { ObjectIndex } from "./object-index.ts";
import { Resource, type Stored } from "./resource.ts";
import { controlLoop, type RunningPart, type WorkloadContext } from "./workload-context.ts";

const source = "taint-eviction-controller";
/** Who makes another pod in place of an evicted one must not get to do so without end in one moment. */
const leastMilliseconds = 100;

/** Deletes pods from nodes whose NoExecute taints they do not tolerate, or no longer. */
export class TaintEvictionController implements RunningPart {
  readonly #context: WorkloadContext;
  readonly #pods: Resource<Pod>;
  readonly #nodes: Resource<Node>;
  readonly #podsByNode: ObjectIndex<Pod>;
  /** Since when each pod has been on a node that it does not tolerate for ever. */
  readonly #since = new Map<string, { readonly uid: string; readonly at: number }>();
  readonly #loop: ControlLoop;
  readonly #stops: (() => void)[];

  constructor(context: WorkloadContext, podsByNode: ObjectIndex<Pod>) {
    this.#context = context;
    this.#pods = new Resource<Pod>(context.api, "", "pods");
    this.#nodes = new Resource<Node>(context.api, "", "nodes");
    this.#podsByNode = podsByNode;
    this.#loop = controlLoop(context, "taint eviction", (key) => this.#reconcile(key));
    this.#stops = [
      this.#nodes.subscribe(({ object, previous }) => {
        if (object.spec?.taints !== previous?.spec?.taints) this.#seeNode(object, previous);
      }),
      this.#pods.subscribe(({ object }) => {
        const key = keyOf(object);
        const node = this.#nodes.find(object.spec?.nodeName ?? "");
        if (this.#since.has(key) || (node !== undefined && evicting(node).length > 0)) this.#loop.enqueue(key);
      }),
    ];
    for (const node of this.#nodes.list()) this.#seeNode(node, undefined);
  }

  stop(): void {
    for (const stop of this.#stops) stop();
    this.#loop.stop();
  }

  #seeNode(node: Stored<Node>, previous: Stored<Node> | undefined): void {
    if (evicting(node).length === 0 && (previous === undefined || evicting(previous).length === 0)) return;
    for (const pod of this.#podsByNode.get(node.metadata.name)) this.#loop.enqueue(keyOf(pod));
  }

  #reconcile(key: string): void {
    const pod = this.#pods.find(key);
    const node = this.#nodes.find(pod?.spec?.nodeName ?? "");
    const since = this.#since.get(key);
    if (pod === undefined || node === undefined || pod.metadata.deletionTimestamp !== undefined) {
      this.#since.delete(key);
      return;
    }
    const seconds = toleratedSeconds(pod, evicting(node));
    if (seconds === undefined) {
      if (this.#since.delete(key)) this.#say(pod, `Cancelling deletion of Pod ${key}`);
      return;
    }
    const now = this.#context.clock.now();
    const start = since?.uid === pod.metadata.uid ? since.at : now;
    this.#since.set(key, { uid: pod.metadata.uid, at: start });
    const wait = start + Math.max(seconds * 1000, leastMilliseconds) - now;
    if (wait > 0) {
      this.#loop.enqueue(key, wait);
      return;
    }
    this.#since.delete(key);
    this.#say(pod, `Marking for deletion Pod ${key}`);
    const why = { reason: "DeletionByTaintManager", message: "Taint manager: deleting due to NoExecute taint" };
    deleteDisrupted(this.#pods, pod, { ...why, now });
  }

  #say(about: Stored<Pod>, message: string): void {
    this.#context.recordEvent({ about, type: "Normal", reason: "TaintManagerEviction", message, source });
  }
}

function evicting({ spec }: Node): Taint[] {
  return (spec?.taints ?? []).filter(({ effect }) => effect === "NoExecute");
}

/** How long the pod may stay; undefined for ever. */
function toleratedSeconds({ spec }: Pod, taints: readonly Taint[]): number | undefined {
  if (taints.length === 0) return undefined;
  const tolerations = spec?.tolerations ?? [];
  if (!taints.every((taint) => isTolerated(tolerations, taint))) return 0;
  const used = tolerations.filter((toleration) => taints.some((taint) => isTolerated([toleration], taint)));
  const limits = used.map(({ tolerationSeconds }) => tolerationSeconds).filter((seconds) => seconds !== undefined);
  return limits.length === 0 ? undefined : Math.max(0, Math.min(...limits));
}
