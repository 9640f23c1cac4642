import { type Labels, labelValue } from "../label-matcher.ts";
import type { NodeState } from "./node-state.ts";

/** Lists nodes one from each zone in turn, so that looking at some of them looks at every zone. */
export class NodeOrder {
  readonly #zones = new Map<string, Set<NodeState>>();
  readonly #zoneOf = new Map<NodeState, string>();
  #list: readonly NodeState[] | undefined;

  /** Also for a node whose labels have changed. */
  set(state: NodeState): void {
    const zone = zoneOf(state);
    if (this.#zoneOf.get(state) === zone) return;
    this.remove(state);
    const members = this.#zones.get(zone) ?? new Set();
    members.add(state);
    this.#zones.set(zone, members);
    this.#zoneOf.set(state, zone);
    this.#list = undefined;
  }

  remove(state: NodeState): void {
    const zone = this.#zoneOf.get(state);
    if (zone === undefined) return;
    const members = this.#zones.get(zone);
    members?.delete(state);
    if (members?.size === 0) this.#zones.delete(zone);
    this.#zoneOf.delete(state);
    this.#list = undefined;
  }

  list(): readonly NodeState[] {
    this.#list ??= interleave([...this.#zones.values()].map((members) => [...members]));
    return this.#list;
  }
}

function interleave(lists: readonly (readonly NodeState[])[]): NodeState[] {
  const longest = Math.max(0, ...lists.map(({ length }) => length));
  const result: NodeState[] = [];
  for (let position = 0; position < longest; position++) {
    for (const list of lists) {
      const state = list[position];
      if (state !== undefined) result.push(state);
    }
  }
  return result;
}

function zoneOf({ labels }: NodeState): string {
  return `${oldOrNew(labels, "region")}:${oldOrNew(labels, "zone")}`;
}

function oldOrNew(labels: Labels, level: "region" | "zone"): string {
  return (
    labelValue(labels, `topology.kubernetes.io/${level}`) ??
    labelValue(labels, `failure-domain.beta.kubernetes.io/${level}`) ??
    ""
  );
}
