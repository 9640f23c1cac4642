import { joinNode } from "../model/join-node.ts";
import type { NodeClaim } from "../model/node-claim.ts";
import type { NodeObject } from "../model/node-object.ts";
import type { Pod } from "../model/pod.ts";
import { formatAmount } from "../model/quantity.ts";
import { isEphemeralTaint, type Taint, tolerates } from "../model/taints.ts";

export interface LaunchedNode {
  readonly claim: NodeClaim;
  readonly node: NodeObject;
  /** What runs on every such node. */
  readonly daemonPods: readonly Pod[];
}

/**
 * Why a node cannot take a pod that it was launched for, whatever other pods are there; undefined when it can. The next
 * node of this kind could not take the pod either: something gives its nodes a taint, or their machines have less than
 * the cloud provider promises.
 */
export function misfit(pod: Pod, { claim, node, daemonPods }: LaunchedNode): string | undefined {
  const { taints, allocatable } = joinNode({ claim, node });
  const taint = taints.find((present) => isForeign(present, claim) && !tolerates(pod.spec.tolerations, present));
  if (taint !== undefined)
    return `nodes get the taint ${describeTaint(taint)}, which the NodePool does not have and the pod does not tolerate: add it to startupTaints if it is removed later, else to taints`;
  for (const [resource, requested] of pod.spec.requests) {
    const daemons = daemonPods.reduce((sum, { spec }) => sum + (spec.requests.get(resource) ?? 0), 0);
    const [has, promised] = [allocatable.get(resource) ?? 0, claim.allocatable.get(resource) ?? 0];
    if (requested + daemons > has && requested + daemons <= promised)
      return `nodes have less ${resource} than the instance type promises: ${formatAmount(resource, has)} instead of ${formatAmount(resource, promised)}`;
  }
  return undefined;
}

/** Kubernetes and Karpenter taint a node for what happens to that node alone. */
function isForeign(taint: Taint, { taints }: NodeClaim): boolean {
  const { key, effect } = taint;
  const isOwn = key.startsWith("node.kubernetes.io/") || key.startsWith("karpenter.sh/") || isEphemeralTaint(taint);
  return effect !== "PreferNoSchedule" && !isOwn && !taints.some((own) => own.key === key && own.effect === effect);
}

function describeTaint({ key, value, effect }: Taint): string {
  return value === "" ? `${key}:${effect}` : `${key}=${value}:${effect}`;
}
