import type { Node } from "kubernetes-types/core/v1.js";
import { type Labels, noLabels } from "../label-matcher.ts";
import { type Amounts, amountsOfList, noAmounts, RunningTotal } from "./node-resources.ts";
import { labelsOf } from "./node-selector.ts";
import type { PodInfo } from "./pod-info.ts";

/** A node with the pods on it and what they take, kept up to date as they come and go. */
export class NodeState {
  readonly name: string;
  readonly pods = new Set<PodInfo>();
  readonly requested = new RunningTotal();
  readonly assumed = { cpu: 0, memory: 0 };
  #node: Node | undefined;
  #labels: Labels = noLabels;
  #allocatable: Amounts = noAmounts;

  constructor(name: string) {
    this.name = name;
  }

  /** Undefined while only pods say that there is such a node; then it takes part in nothing. */
  get node(): Node | undefined {
    return this.#node;
  }

  get labels(): Labels {
    return this.#labels;
  }

  get allocatable(): Amounts {
    return this.#allocatable;
  }

  setNode(node: Node | undefined): void {
    this.#node = node;
    this.#labels = node === undefined ? noLabels : labelsOf(node);
    this.#allocatable = node === undefined ? noAmounts : amountsOfList(node.status?.allocatable);
  }

  addPod(pod: PodInfo): void {
    this.pods.add(pod);
    this.#count(pod, 1);
  }

  removePod(pod: PodInfo): void {
    if (this.pods.delete(pod)) this.#count(pod, -1);
  }

  #count({ amounts }: PodInfo, sign: 1 | -1): void {
    this.requested.add(amounts.requested, sign);
    this.assumed.cpu += sign * amounts.assumed.cpu;
    this.assumed.memory += sign * amounts.assumed.memory;
  }
}
