import type { Node, Pod } from "kubernetes-types/core/v1.js";
import { type Amounts, amountsOfList, amountsOfPod, RunningTotal } from "../scheduler/node-resources.ts";
import { requiredNodes } from "../scheduler/node-selector.ts";

/** Why a kubelet does not take a pod. */
export interface Rejection {
  readonly reason: string;
  readonly message: string;
}

/** What the pods that a kubelet has taken hold of its node. */
export class HeldResources {
  readonly #held = new Map<string, Amounts>();
  readonly #total = new RunningTotal();

  /** Takes the pod, or says why not. */
  admit(uid: string, pod: Pod, node: Node): Rejection | undefined {
    if (this.#held.has(uid)) return undefined;
    const { requested } = amountsOfPod(pod);
    const rejection = this.#rejectionOf(requested, node) ?? selectionProblem(pod, node);
    if (rejection !== undefined) return rejection;
    this.#held.set(uid, requested);
    this.#total.add(requested, 1);
    return undefined;
  }

  release(uid: string): void {
    const amounts = this.#held.get(uid);
    if (amounts === undefined) return;
    this.#held.delete(uid);
    this.#total.add(amounts, -1);
  }

  #rejectionOf(requested: Amounts, { status }: Node): Rejection | undefined {
    const capacity = amountsOfList(status?.allocatable);
    const used = this.#total;
    const asked: [resource: string, requested: number, used: number, capacity: number][] = [
      ["pods", 1, this.#held.size, capacity.pods],
      ["cpu", requested.cpu, used.cpu, capacity.cpu],
      ["memory", requested.memory, used.memory, capacity.memory],
      ["ephemeral-storage", requested.ephemeralStorage, used.ephemeralStorage, capacity.ephemeralStorage],
    ];
    for (const [name, amount] of requested.scalars) {
      asked.push([name, amount, used.scalars.get(name) ?? 0, capacity.scalars.get(name) ?? 0]);
    }
    const lacking = asked.find(([, wanted, taken, all]) => wanted > 0 && wanted + taken > all);
    if (lacking === undefined) return undefined;
    const [resource, wanted, taken, all] = lacking;
    const numbers = `requested: ${wanted}, used: ${taken}, capacity: ${all}`;
    return {
      reason: `OutOf${resource}`,
      message: `Pod was rejected: Node didn't have enough resource: ${resource}, ${numbers}`,
    };
  }
}

function selectionProblem({ spec }: Pod, node: Node): Rejection | undefined {
  if (spec === undefined || requiredNodes(spec)(node)) return undefined;
  const message = "Pod was rejected: Predicate NodeAffinity failed: node(s) didn't match Pod's node affinity/selector";
  return { reason: "NodeAffinity", message };
}
