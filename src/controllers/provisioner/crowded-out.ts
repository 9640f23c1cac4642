import type { ClusterState } from "../../core/cluster/cluster-state.ts";
import { areAlike } from "../../core/model/are-alike.ts";
import { joinNode } from "../../core/model/join-node.ts";
import type { NodeClaim } from "../../core/model/node-claim.ts";
import type { Pod } from "../../core/model/pod.ts";
import { isFinished } from "../../core/model/pod-lifecycle.ts";

/** Whether the pods that are on a node and meant for it ask for more than there is of something that this one needs. */
export function isCrowded(cluster: ClusterState, claim: NodeClaim, pod: Pod): boolean {
  const scarce = scarceOn(cluster, claim, cluster.podsMeantFor(claim.name));
  return scarce.some((resource) => needs(pod, resource));
}

/**
 * Of the pods that are meant for a node, those that it has no room for any more: first one like the newcomer, who took
 * the room, then those that are not told of the node, then those that were refused there. kube-scheduler keeps the room
 * of the others, or has found them there already, which we hear of later.
 */
export function findCrowdedOut(cluster: ClusterState, claim: NodeClaim, newcomer?: Pod): readonly Pod[] {
  const [node] = cluster.nodesOf(claim);
  if (node === undefined || cluster.nominations.podsOf(claim.name).size === 0) return [];
  const isTold = ({ nominatedNodeName }: Pod): number => (nominatedNodeName === node.name ? 1 : 0);
  const meant = cluster.podsMeantFor(claim.name).toSorted((one, other) => isTold(other) - isTold(one));
  const mayHaveLost = (pod: Pod): boolean => isTold(pod) === 0 || cluster.nominations.isDoubtful(pod.uid);
  const crowdedOut: Pod[] = [];
  for (;;) {
    const scarce = scarceOn(cluster, claim, meant);
    const takers = meant.filter((pod) => scarce.some((resource) => needs(pod, resource)));
    const isFirst = crowdedOut.length === 0 && newcomer !== undefined;
    const alike = isFirst ? takers.findLast((pod) => areAlike(pod, newcomer)) : undefined;
    const pod = alike ?? takers.findLast(mayHaveLost);
    if (pod === undefined) return crowdedOut;
    crowdedOut.push(pod);
    meant.splice(meant.indexOf(pod), 1);
  }
}

/** What those that are on the node and these ask for more of than there is. */
function scarceOn(cluster: ClusterState, claim: NodeClaim, meant: readonly Pod[]): readonly string[] {
  const [node] = cluster.nodesOf(claim);
  if (node === undefined) return [];
  const there = cluster.podsOnNode(node.name).filter((pod) => !isFinished(pod));
  const { allocatable } = joinNode({ node, claim });
  return [...allocatable].flatMap(([resource, amount]) => {
    const used = [...there, ...meant].reduce((sum, { spec }) => sum + (spec.requests.get(resource) ?? 0), 0);
    return used > amount ? [resource] : [];
  });
}

function needs({ spec }: Pod, resource: string): boolean {
  return (spec.requests.get(resource) ?? 0) > 0;
}
