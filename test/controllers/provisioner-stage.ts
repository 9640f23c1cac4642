import type { Node, Pod } from "kubernetes-types/core/v1.js";
import { nodeNameFor } from "../../src/adapters/kwok/machine-name.ts";
import type { KubeObject } from "../../src/embedded/kube-object.ts";
import type { StoredEvent } from "../../src/embedded/storage/stored-event.ts";
import { nodeClass, nodePool, type PodParts, pod } from "../scenarios/manifests.ts";
import { WholeController, type WholeControllerOptions } from "../support/whole-controller.ts";

/** Of nodes of four cores. */
export const fourCores = [{ key: "karpenter.kwok.sh/instance-cpu", operator: "In", values: ["4"] }];

type Change = "claim" | "nominate" | "lose" | "bind" | "admit" | "open";

export interface Deed {
  /** Seconds since the stage was opened. */
  readonly at: number;
  readonly change: Change;
  /** A pod, or a node that is called by the number of its claim. */
  readonly name: string;
  /** The node that a pod is meant for or bound to. */
  readonly to: string;
}

/** The whole controller on a cluster where every step of a plan is written down in the moment it is taken. */
export class ProvisionerStage {
  readonly whole: WholeController;
  readonly deeds: Deed[] = [];
  readonly #start: number;
  /** Names of nodes, in the order of their claims. */
  readonly #nodeNames: string[] = [];

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
    this.#setStatus(name, {});
  }

  /** As kube-scheduler does when it finds no place for it. */
  loseNomination(name: string): void {
    this.#setStatus(name, { nominatedNodeName: undefined });
  }

  nominate(name: string, nominatedNodeName: string): void {
    this.#setStatus(name, { nominatedNodeName });
  }

  #setStatus(name: string, fields: object): void {
    const conditions = [{ type: "PodScheduled", status: "False", reason: "Unschedulable" }];
    const found = this.pod(name);
    this.whole.changeStatus(found, JSON.parse(JSON.stringify({ ...found.status, conditions, ...fields })));
  }

  pod(name: string): KubeObject & Pod {
    const found = this.whole.list("v1", "Pod").find(({ metadata }) => metadata.name === name);
    if (found === undefined) throw new Error(`There is no pod ${name}`);
    return found as KubeObject & Pod;
  }

  get claims(): readonly KubeObject[] {
    return this.whole.list("karpenter.sh/v1", "NodeClaim");
  }

  /** As the API calls it. */
  nodeName(number: string): string {
    return this.#nodeNames[Number(number.slice(1)) - 1] ?? "";
  }

  /** `nominate web to #1`, of those changes. */
  said(...changes: readonly Change[]): readonly string[] {
    return this.deeds
      .filter(({ change }) => changes.includes(change))
      .map(({ change, name, to }) => `${change} ${name}${to === "" ? "" : ` to ${to}`}`);
  }

  times(change: Change, name?: string): readonly number[] {
    return this.deeds.filter((deed) => deed.change === change && (name ?? deed.name) === deed.name).map(({ at }) => at);
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

  #note(change: Change, name: string, to = ""): void {
    this.deeds.push({ at: this.seconds, change, name, to });
  }

  #numberOf(nodeName: string): string {
    const index = this.#nodeNames.indexOf(nodeName);
    return index < 0 ? nodeName : `#${index + 1}`;
  }

  #takeClaim({ type, object }: StoredEvent): void {
    if (type !== "ADDED") return;
    this.#nodeNames.push(nodeNameFor(object.metadata));
    this.#note("claim", `#${this.#nodeNames.length}`);
  }

  #takeNode({ type, object, previous }: StoredEvent): void {
    const [before, after] = [closedBy(previous), closedBy(object)];
    const name = this.#numberOf(object.metadata.name);
    if (type === "DELETED" || before === undefined || before === after) return;
    this.#note(after === undefined ? "open" : "admit", name);
  }

  #takePod({ type, object, previous }: StoredEvent): void {
    if (type === "DELETED") return;
    const [before, after] = [previous as Pod | undefined, object as Pod];
    const { name } = object.metadata;
    const nominated = after.status?.nominatedNodeName;
    const node = after.spec?.nodeName;
    if (node !== before?.spec?.nodeName) this.#note("bind", name, this.#numberOf(node ?? ""));
    else if (nominated === before?.status?.nominatedNodeName) return;
    else if (nominated === undefined) this.#note("lose", name);
    else this.#note("nominate", name, this.#numberOf(nominated));
  }
}

/** The effect of the taint that we keep a node closed with. */
function closedBy(node: KubeObject | undefined): string | undefined {
  const { spec } = (node ?? {}) as Node;
  return spec?.taints?.find(({ key }) => key === "karpenter.sh/unregistered")?.effect;
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
