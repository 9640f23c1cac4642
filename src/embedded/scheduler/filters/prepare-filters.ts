import type { NodeFilter, Preparation, Rejection, Situation } from "../node-filter.ts";
import type { NodeState } from "../node-state.ts";
import type { PodInfo } from "../pod-info.ts";
import { interPodAffinity } from "./inter-pod-affinity.ts";
import { nodeAffinity } from "./node-affinity.ts";
import { nodeName, nodeUnschedulable, taintToleration } from "./node-fields.ts";
import { nodePorts } from "./node-ports.ts";
import { nodeResourcesFit } from "./node-resources-fit.ts";
import { nodeVolumeLimits } from "./node-volume-limits.ts";
import { podTopologySpread } from "./pod-topology-spread.ts";
import { volumeBinding } from "./volume-binding.ts";
import { volumeRestrictions } from "./volume-restrictions.ts";
import { volumeZone } from "./volume-zone.ts";

/** In kube-scheduler's order, because the first that refuses a node gives the reason. */
const rules: readonly ((situation: Situation) => Preparation)[] = [
  nodeUnschedulable,
  nodeName,
  taintToleration,
  nodeAffinity,
  nodePorts,
  nodeResourcesFit,
  volumeRestrictions,
  nodeVolumeLimits,
  volumeBinding,
  volumeZone,
  podTopologySpread,
  interPodAffinity,
];

export interface PreparedFilters {
  /** The only nodes worth a look, unless all are. */
  readonly only: ReadonlySet<string> | undefined;
  /** With room kept for pods of the same or higher priority that are nominated to the node. */
  refuse(node: NodeState): Rejection | undefined;
  /** Puts a pod on a node, or takes it off, in thought: undo it before anybody else looks. */
  pretend(pod: PodInfo, node: NodeState, change: 1 | -1): void;
}

/** The message, if the pod cannot go anywhere. */
export function prepareFilters(situation: Situation): PreparedFilters | string {
  const filters: NodeFilter[] = [];
  let only: ReadonlySet<string> | undefined;
  for (const rule of rules) {
    const preparation = rule(situation);
    if (preparation.kind === "refuse") return preparation.message;
    if (preparation.kind === "skip") continue;
    filters.push(preparation.filter);
    only ??= preparation.only;
  }
  const pretend: PreparedFilters["pretend"] = (pod, node, change) => {
    if (change === 1) node.addPod(pod);
    else node.removePod(pod);
    for (const filter of filters) filter.adjust?.(pod, node, change);
  };
  const refuseAsItIs = (node: NodeState) => {
    for (const filter of filters) {
      const rejection = filter.refuse(node);
      if (rejection !== undefined) return rejection;
    }
    return undefined;
  };
  const refuse = (node: NodeState) => {
    const guests = guestsOf(situation, node);
    if (guests.length === 0) return refuseAsItIs(node);
    for (const guest of guests) pretend(guest, node, 1);
    const rejection = refuseAsItIs(node);
    for (const guest of guests) pretend(guest, node, -1);
    // The guests may end up elsewhere, so the pod must not need them either.
    return rejection ?? refuseAsItIs(node);
  };
  return { only, refuse, pretend };
}

function guestsOf({ cache, pod }: Situation, node: NodeState): PodInfo[] {
  const guests: PodInfo[] = [];
  for (const guest of cache.nominatedTo(node.name)) {
    if (guest.priority >= pod.priority && guest.pod.metadata?.uid !== pod.pod.metadata?.uid) guests.push(guest);
  }
  return guests;
}
