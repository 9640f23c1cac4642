import { evictionCost } from "../model/eviction-cost.ts";
import type { Pod } from "../model/pod.ts";
import { isReschedulable } from "../model/pod-lifecycle.ts";

/** What it costs to take away a node with these pods: one for the node, and what it hurts to move each of them. */
export function disturbanceOf(pods: readonly Pod[]): number {
  let disturbance = 1;
  for (const pod of pods) if (isReschedulable(pod)) disturbance += Math.max(0, evictionCost(pod));
  return disturbance;
}
