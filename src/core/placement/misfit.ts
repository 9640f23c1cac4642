import { joinNode } from "../model/join-node.ts";
import type { Pod } from "../model/pod.ts";
import { formatAmount } from "../model/quantity.ts";
import type { LaunchedNode } from "./foreign-taints.ts";

/**
 * Why a node cannot take a pod that it was launched for, whatever other pods are there: its machine has less than the cloud
 * provider promised, and so would the next one. Undefined when it can. `daemonPods` are those that run on it.
 */
export function misfit(pod: Pod, launched: LaunchedNode, daemonPods: readonly Pod[]): string | undefined {
  const { allocatable } = joinNode(launched);
  for (const [resource, requested] of pod.spec.requests) {
    const daemons = daemonPods.reduce((sum, { spec }) => sum + (spec.requests.get(resource) ?? 0), 0);
    const [has, promised] = [allocatable.get(resource) ?? 0, launched.claim.allocatable.get(resource) ?? 0];
    if (requested + daemons > has && requested + daemons <= promised)
      return `nodes have less ${resource} than the instance type promises: ${formatAmount(resource, has)} instead of ${formatAmount(resource, promised)}`;
  }
  return undefined;
}
