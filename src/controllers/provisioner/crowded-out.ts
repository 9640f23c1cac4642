import type { ClusterState } from "../../core/cluster/cluster-state.ts";
import { areAlike } from "../../core/model/are-alike.ts";
import { joinNode } from "../../core/model/join-node.ts";
import type { NodeClaim } from "../../core/model/node-claim.ts";
import type { Pod } from "../../core/model/pod.ts";
import { isFinished } from "../../core/model/pod-lifecycle.ts";
import type { Resources } from "../../core/model/resources.ts";

/**
 * Of the pods that are meant for a node, those that it has no room for any more: rather one like the newcomer, who took
 * the room, then one that is not told of the node, then one that was refused there. kube-scheduler keeps the room of the
 * others, or has found them there already, which we hear of later.
 */
export function findCrowdedOut(cluster: ClusterState, claim: NodeClaim, newcomer?: Pod): readonly Pod[] {
  const [node] = cluster.nodesOf(claim);
  if (node === undefined || cluster.nominations.podsOf(claim.name).size === 0) return [];
  const isTold = ({ nominatedNodeName }: Pod): number => (nominatedNodeName === node.name ? 1 : 0);
  const meant = cluster.podsMeantFor(claim.name).toSorted((one, other) => isTold(other) - isTold(one));
  const mayHaveLost = (pod: Pod): boolean => isTold(pod) === 0 || cluster.nominations.isDoubtful(pod.uid);
  const there = cluster.podsOnNode(node.name).filter((pod) => !isFinished(pod));
  const { allocatable } = joinNode({ node, claim });
  const crowdedOut: Pod[] = [];
  for (;;) {
    const scarce = findScarce(allocatable, [...there, ...meant]);
    const takers = meant.filter(({ spec }) => scarce.some((resource) => (spec.requests.get(resource) ?? 0) > 0));
    const alike = newcomer === undefined ? undefined : takers.findLast((pod) => areAlike(pod, newcomer));
    const pod = alike ?? takers.findLast(mayHaveLost);
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
