import type { Node } from "./node.ts";
import type { Pod } from "./pod.ts";
import { isActive, isDaemonPod, isFinished, isMirrorPod, isProvisionable, isReschedulable } from "./pod-lifecycle.ts";

export interface PlacedPods {
  readonly podsByNode: ReadonlyMap<string, readonly Pod[]>;
  readonly pendingPods: readonly Pod[];
}

/** Which pods wait: those kube-scheduler has given up on, or all that have no node. */
export type WaitingRule = "unschedulable" | "unplaced";

/**
 * Which pods hold a place on a node, and which need one. A pod whose node is going away needs one and holds none; a pod
 * that kube-scheduler keeps room for on a node that exists holds that room.
 */
export function placePods(
  pods: readonly Pod[],
  nodes: readonly Node[],
  { rule, mustStay }: { readonly rule: WaitingRule; readonly mustStay: (pod: Pod) => boolean },
): PlacedPods {
  const nodesByName = new Map(nodes.map((node) => [node.name, node]));
  const podsByNode = new Map<string, Pod[]>();
  const pendingPods: Pod[] = [];
  for (const pod of pods) {
    if (isFinished(pod)) continue;
    const nodeName = pod.nodeName !== "" ? pod.nodeName : pod.nominatedNodeName;
    const node = nodesByName.get(nodeName);
    if (node?.isDeleting === true && isReschedulable(pod) && !mustStay(pod)) pendingPods.push(pod);
    else if (pod.nodeName !== "" || (node !== undefined && isActive(pod))) put(podsByNode, nodeName, pod);
    else if (isWaiting(pod, rule)) pendingPods.push(pod);
  }
  return { podsByNode, pendingPods };
}

/** None of the nodes that exist is meant for it: that has been looked at already. */
function isWaiting(pod: Pod, rule: WaitingRule): boolean {
  if (rule === "unschedulable") return isProvisionable(pod, () => false);
  return !pod.isGated && isActive(pod) && !isDaemonPod(pod) && !isMirrorPod(pod);
}

function put(podsByNode: Map<string, Pod[]>, nodeName: string, pod: Pod): void {
  const pods = podsByNode.get(nodeName);
  if (pods === undefined) podsByNode.set(nodeName, [pod]);
  else pods.push(pod);
}
