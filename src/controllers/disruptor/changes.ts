import type { ClusterState } from "../../core/cluster/cluster-state.ts";
import type { Labels } from "../../core/model/labels.ts";
import { isNodeReady, type NodeObject } from "../../core/model/node-object.ts";

/** Counts what happens that may make another fleet worthwhile. */
export class Changes {
  readonly #unsubscribe: readonly (() => void)[];
  count = 0;

  constructor({ pods, claims, pools, nodes, disruptionBudgets }: ClusterState) {
    const note = (): void => {
      this.count++;
    };
    this.#unsubscribe = [
      pods.onChange(note),
      claims.onChange(note),
      pools.onChange(note),
      disruptionBudgets.onChange(note),
      // Nodes tell all the time that they are alive.
      nodes.onChange(({ before, after }) => {
        if (before === undefined || after === undefined || textOf(before) !== textOf(after)) note();
      }),
    ];
  }

  stop(): void {
    for (const unsubscribe of this.#unsubscribe) unsubscribe();
  }
}

/** Of a node, what decides who can be there. */
function textOf(node: NodeObject): string {
  const { labels, annotations, taints, allocatable, deletedAt } = node;
  const entries = (map: Labels | ReadonlyMap<string, number>) =>
    [...map].sort(([left], [right]) => (left < right ? -1 : 1));
  return JSON.stringify([
    entries(labels),
    entries(annotations),
    taints,
    entries(allocatable),
    deletedAt,
    isNodeReady(node),
  ]);
}
