import type { NodeClaim } from "../model/node-claim.ts";
import type { NodeObject } from "../model/node-object.ts";
import type { Pod } from "../model/pod.ts";
import { isEphemeralTaint, type Taint, untoleratedTaint } from "../model/taints.ts";

/** A node with the claim that it was launched for. */
export interface LaunchedNode {
  readonly claim: NodeClaim;
  readonly node: NodeObject;
}

/** The taints that keep pods away from the node and that neither its NodePool nor Kubernetes nor Karpenter gave it. */
export function foreignTaints({ claim, node }: LaunchedNode): readonly Taint[] {
  const own = new Set([...claim.taints, ...claim.startupTaints].map(({ key, effect }) => `${key}:${effect}`));
  return node.taints.filter((taint) => {
    const { key, effect } = taint;
    const isOfSystem = key.startsWith("node.kubernetes.io/") || key.startsWith("karpenter.sh/");
    return effect !== "PreferNoSchedule" && !isOfSystem && !isEphemeralTaint(taint) && !own.has(`${key}:${effect}`);
  });
}

const patience = 300_000;

/**
 * Whether a pod stays meant for a node that it cannot use because of such a taint. Whoever gave the taint may take it off
 * when the node has started, so the node is kept for the pod for some minutes.
 */
export function mayLoseTaint(pod: Pod, launched: LaunchedNode, now: number): boolean {
  const { node, claim } = launched;
  const isGoing = node.deletedAt !== undefined || claim.deletedAt !== undefined;
  const isTainted = untoleratedTaint(pod.spec.tolerations, foreignTaints(launched)) !== undefined;
  return isTainted && !isGoing && now - node.createdAt < patience;
}
