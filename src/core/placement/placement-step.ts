import type { NodeClaim } from "../model/node-claim.ts";
import { isNodeReady, type NodeObject } from "../model/node-object.ts";
import type { Pod } from "../model/pod.ts";
import { isActive } from "../model/pod-lifecycle.ts";
import { untoleratedTaint } from "../model/taints.ts";
import { isOverfull } from "./is-overfull.ts";

/** What there is of one claim, and the pods that are meant for it. */
export interface PlacementView {
  readonly claim: NodeClaim;
  readonly node: NodeObject | undefined;
  readonly intendedPods: readonly Pod[];
  /** Those that are there, as far as that is known: kube-scheduler uses the room of a node from the same moment on. */
  readonly podsOnNode: readonly Pod[];
}

/** The pods to bind to the node now. */
export interface PlacementStep {
  readonly node: NodeObject;
  readonly pods: readonly Pod[];
}

/**
 * Which of its intended pods a node gets by the policy Bind: once it is ready, those that kube-scheduler has refused and
 * that tolerate its taints. Pods with volumes are left to kube-scheduler, which decides where these volumes are made.
 */
export function placementStep({ claim, node, intendedPods, podsOnNode }: PlacementView): PlacementStep | undefined {
  if (node === undefined || node.deletedAt !== undefined || claim.deletedAt !== undefined) return undefined;
  if (!isNodeReady(node) || claim.startupTaints.length > 0) return undefined;
  const pods: Pod[] = [];
  for (const pod of intendedPods) {
    const isRoomLeft = !isOverfull({ node, claim }, [...podsOnNode, ...pods, pod]);
    if (mayBeBound(pod, node) && isRoomLeft) pods.push(pod);
  }
  return pods.length === 0 ? undefined : { node, pods };
}

function mayBeBound(pod: Pod, { taints }: NodeObject): boolean {
  const isWaiting = pod.nodeName === "" && pod.scheduledReason === "Unschedulable" && !pod.isGated && isActive(pod);
  return (
    isWaiting &&
    pod.expectation === undefined &&
    pod.spec.volumeClaims.length === 0 &&
    untoleratedTaint(pod.spec.tolerations, taints) === undefined
  );
}
