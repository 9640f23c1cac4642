import type { ClusterState } from "../../core/cluster/cluster-state.ts";
import { areAlike } from "../../core/model/are-alike.ts";
import { joinNode } from "../../core/model/join-node.ts";
import type { NodeClaim } from "../../core/model/node-claim.ts";
import type { Pod } from "../../core/model/pod.ts";
import { isFinished } from "../../core/model/pod-lifecycle.ts";
import type { Resources } from "../../core/model/resources.ts";

/**
 * Of the pods that are meant for a node, those that it has no room for any more: rather one like the newcomer, who took
 * the room, and rather one that is not told of the node, since kube-scheduler keeps the room of those that are.
 */
export function findCrowdedOut(cluster: ClusterState, claim: NodeClaim, newcomer: Pod | undefined): readonly Pod[] {
  const [node] = cluster.nodesOf(claim);
  if (node === undefined || cluster.nominations.podsOf(claim.name).size === 0) return [];
  const isTold = ({ nominatedNodeName }: Pod): number => (nominatedNodeName === node.name ? 1 : 0);
  const meant = cluster.podsMeantFor(claim.name).toSorted((one, other) => isTold(other) - isTold(one));
  const there = cluster.podsOnNode(node.name).filter((pod) => !isFinished(pod));
  const { allocatable } = joinNode({ node, claim });
  const crowdedOut: Pod[] = [];
  for (;;) {
    const scarce = findScarce(allocatable, [...there, ...meant]);
    const takers = meant.filter(({ spec }) => scarce.some((resource) => (spec.requests.get(resource) ?? 0) > 0));
    const alike = newcomer === undefined ? undefined : takers.findLast((pod) => areAlike(pod, newcomer));
    const pod = alike ?? takers.at(-1);
    if (pod === undefined) return crowdedOut;
    crowdedOut.push(pod);
    meant.splice(meant.indexOf(pod), 1);
  }
}

/** What the pods ask for more of than there is. */
function findScarce(allocatable: Resources, pods: readonly Pod[]): readonly string[] {
  return [...allocatable].flatMap(([resource, amount]) => {
    const used = pods.reduce((sum, { spec }) => sum + (spec.requests.get(resource) ?? 0), 0);
    return used > amount ? [resource] : [];
  });
}
