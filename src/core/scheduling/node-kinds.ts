import type { Labels } from "../model/labels.ts";
import type { Taint } from "../model/taints.ts";

type Branch = Map<string | undefined, Branch | number>;

/** Gives one number to all nodes that look the same to a batch of pods: by their taints and the labels that it reads. */
export class NodeKinds {
  readonly #keys: readonly string[];
  readonly #root: Branch = new Map();
  #count = 0;

  constructor(keys: readonly string[]) {
    this.#keys = keys;
  }

  of(labels: Labels, taints: readonly Taint[]): number {
    let branch = this.#root;
    for (const key of this.#keys) branch = childOf(branch, labels.get(key));
    const look = taints.length === 0 ? "" : JSON.stringify(taints);
    const known = branch.get(look);
    if (typeof known === "number") return known;
    branch.set(look, this.#count);
    return this.#count++;
  }
}

/** Every path through the tree is as long as the others, so that above the last step there are branches only. */
function childOf(branch: Branch, value: string | undefined): Branch {
  const known = branch.get(value);
  if (known instanceof Map) return known;
  const child: Branch = new Map();
  branch.set(value, child);
  return child;
}
