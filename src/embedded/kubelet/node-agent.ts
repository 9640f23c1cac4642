import type { Node } from "kubernetes-types/core/v1.js";
import { areEqual } from "../../core/api/schema/json.ts";
import type { Clock, Timer } from "../../ports/clock.ts";
import { ApiError } from "../api/api-error.ts";
import type { Resource, Stored } from "../workloads/resource.ts";
import { HeldResources } from "./admit-pod.ts";
import { kubeletLabels, nodeStatus } from "./node-status.ts";

/** What can be wrong with a node on demand. */
export type NodeFault =
  | { readonly kind: "never ready" }
  | { readonly kind: "flapping"; readonly periodSeconds: number }
  | { readonly kind: "stopped" };

export interface AgentParts {
  readonly nodes: Resource<Node>;
  readonly clock: Clock;
  /** The address of a node that names none. */
  readonly address: string;
  readonly onError: (what: string, error: unknown) => void;
  /** Told when the kubelet goes from doing nothing to running pods, or back. */
  readonly onChange: () => void;
}

const reportMilliseconds = 300_000;

/** The kubelet of one node, as far as the node itself is concerned. */
export class NodeAgent {
  readonly uid: string;
  readonly held = new HeldResources();
  readonly #parts: AgentParts;
  readonly #name: string;
  #fault: NodeFault | undefined;
  #isUp = false;
  /** In the unready half of a flapping node. */
  #isDown = false;
  #reportTimer: Timer | undefined;
  #flapTimer: Timer | undefined;

  constructor(node: Stored<Node>, parts: AgentParts) {
    this.uid = node.metadata.uid;
    this.#name = node.metadata.name;
    this.#parts = parts;
  }

  get isAlive(): boolean {
    return this.#isUp && this.#fault?.kind !== "stopped";
  }

  /** Whether new pods can start. */
  get isReady(): boolean {
    return this.isAlive && this.#fault?.kind !== "never ready" && !this.#isDown;
  }

  get node(): Stored<Node> | undefined {
    const node = this.#parts.nodes.find(this.#name);
    return node?.metadata.uid === this.uid ? node : undefined;
  }

  get hostIp(): string {
    const addresses = this.node?.status?.addresses ?? [];
    return addresses.find(({ type }) => type === "InternalIP")?.address ?? this.#parts.address;
  }

  bringUp(): void {
    this.#isUp = true;
    this.#resume();
  }

  setFault(fault: NodeFault | undefined): void {
    this.#fault = fault;
    this.#cancelTimers();
    this.#isDown = false;
    if (fault?.kind === "flapping") this.#flapLater(fault.periodSeconds);
    if (this.isAlive) this.#resume();
    else this.#parts.onChange();
  }

  stop(): void {
    this.#isUp = false;
    this.#cancelTimers();
  }

  #cancelTimers(): void {
    this.#reportTimer?.cancel();
    this.#flapTimer?.cancel();
    this.#reportTimer = undefined;
    this.#flapTimer = undefined;
  }

  #resume(): void {
    if (!this.isAlive) return;
    this.#report();
    this.#parts.onChange();
  }

  #flapLater(periodSeconds: number): void {
    this.#flapTimer = this.#parts.clock.after(periodSeconds * 1000, () => {
      this.#isDown = !this.#isDown;
      this.#flapLater(periodSeconds);
      this.#resume();
    });
  }

  /** Posts how the node does, now and every five minutes from now; what is refused waits for the next time. */
  #report(): void {
    const { clock, onError } = this.#parts;
    this.#reportTimer?.cancel();
    this.#reportTimer = clock.after(reportMilliseconds, () => this.#report());
    try {
      this.#post();
    } catch (error) {
      if (!(error instanceof ApiError)) onError(`kubelet of node ${this.#name}`, error);
    }
  }

  #post(): void {
    const { nodes, clock, address } = this.#parts;
    const { node } = this;
    if (node === undefined) return;
    const labels = kubeletLabels(node);
    const labelled = areEqual(labels, node.metadata.labels)
      ? node
      : nodes.change(node, (current) => ({ ...current, metadata: { ...current.metadata, labels } }));
    nodes.writeStatus(labelled, nodeStatus(labelled, { isReady: this.isReady, address, now: clock.now() }));
  }
}
