import type { Node, Pod } from "kubernetes-types/core/v1.js";
import type { Timer } from "../../ports/clock.ts";
import { keyOf } from "../storage/collection.ts";
import { ObjectIndex } from "../workloads/object-index.ts";
import { Resource, type Stored } from "../workloads/resource.ts";
import type { RunningPart, WorkloadContext } from "../workloads/workload-context.ts";
import { NodeAgent, type NodeFault } from "./node-agent.ts";
import { NodeLeases } from "./node-leases.ts";
import { PodRunner } from "./pod-runner.ts";

export interface KubeletOptions {
  /** Which nodes to run; all, where absent. */
  readonly runs?: (node: Node) => boolean;
  /** Milliseconds from the creation of a node until its kubelet is up. */
  readonly startupDelay?: number;
}

/** The kubelets of a cluster: they bring nodes up, keep their leases, and run the pods that are bound to them. */
export class Kubelets implements RunningPart {
  readonly #context: WorkloadContext;
  readonly #runs: (node: Node) => boolean;
  readonly #startupDelay: number;
  readonly #nodes: Resource<Node>;
  readonly #leases: NodeLeases;
  readonly #podsByNode: ObjectIndex<Pod>;
  readonly #runner: PodRunner;
  readonly #agents = new Map<string, NodeAgent>();
  readonly #startups = new Map<string, Timer>();
  readonly #faults = new Map<string, NodeFault>();
  readonly #holds = new Set<(pod: Pod) => boolean>();
  readonly #unsubscribe: () => void;
  #addresses = 0;

  constructor(context: WorkloadContext, { runs = () => true, startupDelay = 0 }: KubeletOptions = {}) {
    this.#context = context;
    this.#runs = runs;
    this.#startupDelay = startupDelay;
    this.#nodes = new Resource<Node>(context.api, "", "nodes");
    this.#leases = new NodeLeases(context.api, context.clock);
    const pods = new Resource<Pod>(context.api, "", "pods");
    this.#podsByNode = new ObjectIndex(pods, ({ spec }) => spec?.nodeName || undefined);
    this.#runner = new PodRunner(context, {
      pods,
      agentOf: (node) => this.#agents.get(node),
      isHeld: (pod) => [...this.#holds].some((holds) => holds(pod)),
    });
    this.#unsubscribe = this.#nodes.subscribe(({ type, object }) => {
      if (type === "DELETED") this.#remove(object.metadata.name);
      else this.#see(object);
    });
    for (const node of this.#nodes.list()) this.#see(node);
  }

  stop(): void {
    this.#unsubscribe();
    for (const name of [...this.#agents.keys()]) this.#remove(name);
    this.#leases.stop();
    this.#runner.stop();
    this.#podsByNode.stop();
  }

  /** The node registers and renews its lease, and never becomes ready. */
  neverReady(node: string): void {
    this.#setFault(node, { kind: "never ready" });
  }

  /** The node is ready for a period, not ready for a period, and so on. */
  flap(node: string, periodSeconds: number): void {
    this.#setFault(node, { kind: "flapping", periodSeconds });
  }

  /** The kubelet does nothing any more: no lease, no status, no pods. */
  stopNode(node: string): void {
    this.#setFault(node, { kind: "stopped" });
  }

  /** Nothing is wrong with the node any more. */
  resumeNode(node: string): void {
    this.#setFault(node, undefined);
  }

  /** Pods that match never end, however they are deleted, until the hold is released. */
  holdPods(matches: (pod: Pod) => boolean): () => void {
    this.#holds.add(matches);
    return () => {
      this.#holds.delete(matches);
      for (const name of this.#agents.keys()) this.#lookAtPods(name);
    };
  }

  #setFault(name: string, fault: NodeFault | undefined): void {
    if (fault === undefined) this.#faults.delete(name);
    else this.#faults.set(name, fault);
    this.#agents.get(name)?.setFault(fault);
  }

  #see(node: Stored<Node>): void {
    const { name, uid } = node.metadata;
    const known = this.#agents.get(name);
    if (known?.uid === uid || !this.#runs(node)) return;
    if (known !== undefined) this.#remove(name);
    const agent = new NodeAgent(node, {
      nodes: this.#nodes,
      clock: this.#context.clock,
      address: this.#nextAddress(),
      onError: this.#context.onError,
      onChange: () => this.#followAgent(name),
    });
    this.#agents.set(name, agent);
    const startup = this.#context.clock.after(this.#startupDelay, () => {
      this.#startups.delete(name);
      const fault = this.#faults.get(name);
      if (fault !== undefined) agent.setFault(fault);
      agent.bringUp();
    });
    this.#startups.set(name, startup);
  }

  #remove(name: string): void {
    this.#startups.get(name)?.cancel();
    this.#startups.delete(name);
    this.#agents.get(name)?.stop();
    this.#agents.delete(name);
    this.#leases.remove(name);
  }

  #followAgent(name: string): void {
    const agent = this.#agents.get(name);
    const node = agent?.node;
    if (agent?.isAlive === true && node !== undefined) this.#leases.add(node);
    else this.#leases.remove(name);
    this.#lookAtPods(name);
  }

  #lookAtPods(node: string): void {
    for (const pod of this.#podsByNode.get(node)) this.#runner.lookAt(keyOf(pod));
  }

  #nextAddress(): string {
    const number = ++this.#addresses;
    return `10.0.${Math.floor(number / 250) % 256}.${(number % 250) + 1}`;
  }
}
