import { joinNode, type NodeParts } from "../model/join-node.ts";
import type { Pod } from "../model/pod.ts";

/** Whether the pods that are on a node and meant for it ask for more than there is: some of them must go elsewhere. */
export function isOverfull(parts: NodeParts, pods: readonly Pod[]): boolean {
  const used = new Map<string, number>();
  for (const { spec } of pods) {
    for (const [resource, amount] of spec.requests) used.set(resource, (used.get(resource) ?? 0) + amount);
  }
  const { allocatable } = joinNode(parts);
  return [...used].some(([resource, amount]) => amount > (allocatable.get(resource) ?? 0));
}
