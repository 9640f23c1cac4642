import type { PackedNode, PackingProblem } from "./problem.ts";

/** What the items on a node are worth together. */
export function nodeValue({ items, counts }: PackedNode, itemValue: Float64Array): number {
  let value = 0;
  for (let index = 0; index < items.length; index++) value += itemValue[items[index]!]! * counts[index]!;
  return value;
}

export function costOf({ price }: PackingProblem, nodes: readonly PackedNode[]): number {
  return nodes.reduce((sum, { machine }) => sum + price[machine]!, 0);
}

/** Whether there are enough items left for the node. */
export function isAvailable({ items, counts }: PackedNode, left: Int32Array): boolean {
  return items.every((item, index) => left[item]! >= counts[index]!);
}

/** Makes the node so many times more, and takes its items from those that are left. */
export function repeat({ machine, items, counts, used }: PackedNode, times: number, left: Int32Array): PackedNode[] {
  items.forEach((item, index) => {
    left[item]! -= counts[index]! * times;
  });
  return Array.from({ length: times }, () => ({
    machine,
    items: items.slice(),
    counts: counts.slice(),
    used: used.slice(),
  }));
}
