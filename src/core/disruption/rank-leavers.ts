import type { Pod } from "../model/pod.ts";
import type { PlannedNode } from "../scheduling/plan.ts";
import type { Fleet } from "./fleet.ts";

/**
 * The nodes that may go, the most wasteful first: those that cost most beyond what their pods would cost on machines
 * bought for all of them anew, for each unit of disturbance.
 */
export function rankLeavers(fleet: Fleet): readonly number[] {
  const gone = new Set(fleet.leavers.map(({ nodeName }) => nodeName));
  const stayers = new Set([...fleet.destinations].filter((name) => !gone.has(name)));
  const worths = worthOfPods(fleet.plan(gone, stayers).nodes);
  const ranked = fleet.leavers.map(({ price = 0, disturbance, podUids }, index) => {
    const worth = podUids.reduce((sum, uid) => sum + (worths.get(uid) ?? 0), 0);
    return { index, waste: (price - worth) / disturbance, price };
  });
  return ranked.sort((a, b) => b.waste - a.waste || b.price - a.price || a.index - b.index).map(({ index }) => index);
}

/** Each pod's share of what its node costs. */
function worthOfPods(nodes: readonly PlannedNode[]): ReadonlyMap<string, number> {
  const worths = new Map<string, number>();
  for (const { price, pods } of nodes) {
    const shares = pods.map((pod) => shareOf(pod, pods));
    for (const [index, pod] of pods.entries()) worths.set(pod.uid, price * (shares[index] ?? 0));
  }
  return worths;
}

function shareOf(pod: Pod, all: readonly Pod[]): number {
  const parts = ["cpu", "memory"].flatMap((resource) => {
    const total = all.reduce((sum, { spec }) => sum + (spec.requests.get(resource) ?? 0), 0);
    return total === 0 ? [] : [(pod.spec.requests.get(resource) ?? 0) / total];
  });
  return parts.length === 0 ? 1 / all.length : parts.reduce((sum, part) => sum + part, 0) / parts.length;
}
