import type { Lease } from "kubernetes-types/coordination/v1.js";
import type { Node, NodeCondition, Pod } from "kubernetes-types/core/v1.js";
import type { ControlLoop } from "../control-loop.ts";
import { conditionOf } from "../pod-state.ts";
import { timestamp } from "../timestamp.ts";
import { taintsFor } from "./node-taints.ts";
import type { ObjectIndex } from "./object-index.ts";
import { Resource, type Stored } from "./resource.ts";
import { controlLoop, type RunningPart, type WorkloadContext } from "./workload-context.ts";

/** How long a node may be silent. */
const graceMilliseconds = 50_000;
/** How long a node may take to say anything at all. */
const startupMilliseconds = 60_000;
const leaseNamespace = "kube-node-lease";
const kubeletConditions = ["Ready", "MemoryPressure", "DiskPressure", "PIDPressure"];
const source = "node-controller";

/** Notices nodes that fell silent, and taints nodes by their conditions. */
export class NodeLifecycleController implements RunningPart {
  readonly #context: WorkloadContext;
  readonly #nodes: Resource<Node>;
  readonly #pods: Resource<Pod>;
  readonly #podsByNode: ObjectIndex<Pod>;
  /** When each node last gave a sign of life. */
  readonly #lastSign = new Map<string, number>();
  /** The uid of each node that was greeted. */
  readonly #registered = new Map<string, string>();
  readonly #wasReady = new Map<string, boolean>();
  readonly #loop: ControlLoop;
  readonly #stops: (() => void)[];

  constructor(context: WorkloadContext, podsByNode: ObjectIndex<Pod>) {
    this.#context = context;
    this.#nodes = new Resource<Node>(context.api, "", "nodes");
    this.#pods = new Resource<Pod>(context.api, "", "pods");
    this.#podsByNode = podsByNode;
    this.#loop = controlLoop(context, "node", (name) => this.#reconcile(name));
    const leases = new Resource<Lease>(context.api, "coordination.k8s.io", "leases");
    this.#stops = [
      this.#nodes.subscribe(({ type, object, previous }) => {
        if (type === "DELETED") this.#forget(object);
        else this.#see(object, previous);
      }),
      leases.subscribe(({ type, object: { metadata } }) => {
        if (type === "DELETED" || metadata.namespace !== leaseNamespace) return;
        if (this.#lastSign.has(metadata.name)) this.#lastSign.set(metadata.name, context.clock.now());
      }),
    ];
    for (const node of this.#nodes.list()) this.#see(node, undefined);
  }

  stop(): void {
    for (const stop of this.#stops) stop();
    this.#loop.stop();
  }

  #see(node: Stored<Node>, previous: Stored<Node> | undefined): void {
    const { name } = node.metadata;
    const heartbeat = readyOf(node)?.lastHeartbeatTime;
    if (!this.#lastSign.has(name) || heartbeat !== readyOf(previous)?.lastHeartbeatTime) {
      this.#lastSign.set(name, this.#context.clock.now());
    }
    this.#loop.enqueue(name);
  }

  #forget(node: Stored<Node>): void {
    const { name } = node.metadata;
    this.#lastSign.delete(name);
    this.#registered.delete(name);
    this.#wasReady.delete(name);
    const message = `Node ${name} event: Removing Node ${name} from Controller`;
    this.#context.clock.after(0, () => this.#say(node, "RemovingNode", message));
  }

  #reconcile(name: string): void {
    const node = this.#nodes.find(name);
    if (node === undefined) return;
    this.#sayRegistered(node);
    const now = this.#context.clock.now();
    const patience = readyOf(node) === undefined ? startupMilliseconds : graceMilliseconds;
    const wait = (this.#lastSign.get(name) ?? now) + patience - now;
    const judged = wait >= 0 ? node : this.#markSilent(node);
    this.#markPods(judged);
    const taints = taintsFor(judged, now);
    const isTainted =
      taints.length === (judged.spec?.taints ?? []).length &&
      taints.every((taint) => judged.spec?.taints?.includes(taint));
    if (!isTainted) this.#nodes.change(judged, (current) => ({ ...current, spec: { ...current.spec, taints } }));
    if (wait >= 0) this.#loop.enqueue(name, wait + 1);
  }

  #sayRegistered(node: Stored<Node>): void {
    const { name, uid } = node.metadata;
    if (this.#registered.get(name) === uid) return;
    this.#registered.set(name, uid);
    this.#say(node, "RegisteredNode", `Node ${name} event: Registered Node ${name} in Controller`);
  }

  /** What the kubelet used to say is not known any more. */
  #markSilent(node: Stored<Node>): Stored<Node> {
    const now = timestamp(this.#context.clock.now());
    const before = node.status?.conditions ?? [];
    const missing = kubeletConditions.filter((type) => !before.some((condition) => condition.type === type));
    const conditions: NodeCondition[] = [
      ...before.map((condition) =>
        kubeletConditions.includes(condition.type) && condition.status !== "Unknown"
          ? { ...condition, ...unknown, lastTransitionTime: now }
          : condition,
      ),
      ...missing.map((type) => ({
        type,
        status: "Unknown",
        reason: "NodeStatusNeverUpdated",
        message: "Kubelet never posted node status.",
        lastHeartbeatTime: node.metadata.creationTimestamp,
        lastTransitionTime: now,
      })),
    ];
    return this.#nodes.writeStatus(node, { ...node.status, conditions });
  }

  /** Pods of a node that stops being ready are not ready either, whatever its kubelet said last. */
  #markPods(node: Stored<Node>): void {
    const { name } = node.metadata;
    const ready = readyOf(node);
    const wasReady = this.#wasReady.get(name) ?? false;
    this.#wasReady.set(name, ready?.status === "True");
    if (!wasReady || ready?.status === "True") return;
    this.#say(node, "NodeNotReady", `Node ${name} status is now: NodeNotReady`);
    const lastTransitionTime = timestamp(this.#context.clock.now());
    for (const pod of this.#podsByNode.get(name)) {
      if (conditionOf(pod, "Ready")?.status !== "True") continue;
      const conditions = (pod.status?.conditions ?? []).map((condition) =>
        condition.type === "Ready" ? { ...condition, status: "False", lastTransitionTime } : condition,
      );
      this.#pods.writeStatus(pod, { ...pod.status, conditions });
      const message = "Node is not ready";
      this.#context.recordEvent({ about: pod, type: "Warning", reason: "NodeNotReady", message, source });
    }
  }

  #say(about: Stored<Node>, reason: string, message: string): void {
    this.#context.recordEvent({ about, type: "Normal", reason, message, source });
  }
}

const unknown = {
  status: "Unknown",
  reason: "NodeStatusUnknown",
  message: "Kubelet stopped posting node status.",
};

function readyOf(node: Node | undefined): NodeCondition | undefined {
  return node?.status?.conditions?.find(({ type }) => type === "Ready");
}
