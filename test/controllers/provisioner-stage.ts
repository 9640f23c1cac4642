import type { Node, Pod } from "kubernetes-types/core/v1.js";
import type { KubeObject } from "../../src/embedded/kube-object.ts";
import type { StoredEvent } from "../../src/embedded/storage/stored-event.ts";
import { nodeClass, nodePool, type PodParts, pod } from "../scenarios/manifests.ts";
import { WholeController, type WholeControllerOptions } from "../support/whole-controller.ts";

/** Of nodes of four cores. */
export const fourCores = [{ key: "karpenter.kwok.sh/instance-cpu", operator: "In", values: ["4"] }];

/** A claim is created, a pod is bound to a node, a node loses the taint that it joins with. */
type Change = "claim" | "bind" | "open";

interface Deed {
  /** Seconds since the stage was opened. */
  readonly at: number;
  readonly change: Change;
  /** Of the object. */
  readonly name: string;
}

/** The whole controller on a cluster where every step of a plan is written down in the moment it is taken. */
export class ProvisionerStage {
  readonly whole: WholeController;
  readonly #start: number;
  readonly #deeds: Deed[] = [];

  constructor(settings: WholeControllerOptions["settings"] = {}) {
    this.whole = new WholeController({ settings });
    this.#start = this.whole.clock.now();
    this.#follow("karpenter.sh/v1", "NodeClaim", (event) => this.#takeClaim(event));
    this.#follow("v1", "Node", (event) => this.#takeNode(event));
    this.#follow("v1", "Pod", (event) => this.#takePod(event));
    this.whole.load(nodeClass());
  }

  /** Begins to lead, with a pool of nodes of four cores. */
  async lead(): Promise<void> {
    this.whole.load(nodePool("general", { limits: { cpu: "100" }, spec: { requirements: fourCores } }));
    this.whole.start();
    await this.pass(1_000);
  }

  pass(milliseconds: number): Promise<void> {
    return this.whole.clock.advance(milliseconds);
  }

  get seconds(): number {
    return (this.whole.clock.now() - this.#start) / 1000;
  }

  /** Pods that kube-scheduler places. */
  add(cpu: string, ...names: readonly string[]): void {
    this.whole.load(...names.map((name) => pod(name, { cpu })));
  }

  /** A pod that only the test places: kube-scheduler leaves it alone, and we are told that there is no room for it. */
  addByHand(name: string, parts: PodParts = {}): void {
    const one = pod(name, { ...parts, spec: { schedulerName: "by-hand", ...parts.spec } });
    this.whole.load(one);
    const found = this.pod(name);
    const conditions = [{ type: "PodScheduled", status: "False", reason: "Unschedulable" }];
    this.whole.changeStatus(found, { ...found.status, conditions });
  }

  pod(name: string): KubeObject & Pod {
    const found = this.whole.list("v1", "Pod").find(({ metadata }) => metadata.name === name);
    if (found === undefined) throw new Error(`There is no pod ${name}`);
    return found as KubeObject & Pod;
  }

  get claims(): readonly KubeObject[] {
    return this.whole.list("karpenter.sh/v1", "NodeClaim");
  }

  /** In the order in which they were bound. */
  get boundPods(): readonly string[] {
    return this.#deedsOf("bind").map(({ name }) => name);
  }

  times(change: Change): readonly number[] {
    return this.#deedsOf(change).map(({ at }) => at);
  }

  events(reason: string): readonly string[] {
    return this.whole.telemetry.happenings
      .filter((happening) => happening.reason === reason)
      .map(({ object, message }) => `${object.name}: ${message}`);
  }

  count(series: string): number {
    return this.whole.telemetry.numbers.get(series) ?? 0;
  }

  #follow(apiVersion: string, kind: string, take: (event: StoredEvent) => void): void {
    const { api } = this.whole.cluster;
    const definition = api.registry.ofKind(apiVersion, kind);
    if (definition === undefined) throw new Error(`Nothing serves ${kind}`);
    api.collection(definition).subscribe(take);
  }

  #deedsOf(change: Change): readonly Deed[] {
    return this.#deeds.filter((deed) => deed.change === change);
  }

  #note(change: Change, { metadata }: KubeObject): void {
    this.#deeds.push({ at: this.seconds, change, name: metadata.name });
  }

  #takeClaim({ type, object }: StoredEvent): void {
    if (type === "ADDED") this.#note("claim", object);
  }

  #takeNode({ type, object, previous }: StoredEvent): void {
    if (type !== "DELETED" && isClosed(previous) && !isClosed(object)) this.#note("open", object);
  }

  #takePod({ type, object, previous }: StoredEvent): void {
    const nodeName = (one: KubeObject | undefined): string | undefined => (one as Pod | undefined)?.spec?.nodeName;
    if (type !== "DELETED" && nodeName(object) !== nodeName(previous)) this.#note("bind", object);
  }
}

/** Whether it has the taint that nodes join with. */
function isClosed(node: KubeObject | undefined): boolean {
  const { spec } = (node ?? {}) as Node;
  return spec?.taints?.some(({ key }) => key === "karpenter.sh/unregistered") === true;
}

/** Sets a stage, and leaves nothing of it behind. */
export async function onStage(
  settings: WholeControllerOptions["settings"],
  act: (stage: ProvisionerStage) => Promise<void>,
): Promise<void> {
  const stage = new ProvisionerStage(settings);
  try {
    await act(stage);
  } finally {
    await stage.whole.stop();
  }
}
