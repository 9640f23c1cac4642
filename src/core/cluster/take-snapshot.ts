import { daemonPodOnNewNode, newestPodByDaemonSet } from "../model/daemon-pod.ts";
import type { InstanceType } from "../model/instance-type.ts";
import { joinNodes } from "../model/join-nodes.ts";
import type { NodePoolObject } from "../model/node-pool-object.ts";
import { placePods } from "../model/place-pods.ts";
import type { Pod } from "../model/pod.ts";
import type { Snapshot } from "../model/snapshot.ts";
import type { ClusterState } from "./cluster-state.ts";

export interface SnapshotQuestion {
  readonly instanceTypesOf: (pool: NodePoolObject) => readonly InstanceType[];
  /** Whether a pod on a node that goes away stays there to the end instead of wanting a place elsewhere. */
  readonly mustStay: (pod: Pod) => boolean;
}

export interface TakenSnapshot {
  readonly snapshot: Snapshot;
  readonly pendingPods: readonly Pod[];
}

/** The cluster as it is now, with what waits for a place. */
export function takeSnapshot(cluster: ClusterState, { instanceTypesOf, mustStay }: SnapshotQuestion): TakenSnapshot {
  const pools = [...cluster.pools.values()].flatMap((object) =>
    object.pool === undefined ? [] : [{ ...object.pool, instanceTypes: instanceTypesOf(object) }],
  );
  const nodes = joinNodes({
    nodes: [...cluster.nodes.values()],
    claims: [...cluster.claims.values()],
    volumeLimits: new Map(cluster.attachLimits.entries()),
    instanceTypes: distinct(pools.map(({ instanceTypes }) => instanceTypes)),
  });
  const pods = [...cluster.pods.values()];
  const { podsByNode, pendingPods } = placePods(withNominations(cluster, pods), nodes, {
    rule: "unschedulable",
    mustStay,
  });
  const newest = newestPodByDaemonSet(pods);
  const snapshot: Snapshot = {
    nodePools: pools,
    nodes,
    podsByNode,
    daemonPods: Array.from(cluster.daemonSets.entries(), ([key, template]) =>
      daemonPodOnNewNode(template, newest.get(key)),
    ),
    namespaces: new Map(cluster.namespaces.entries()),
    volumeClaims: new Map(cluster.volumeClaims.entries()),
    volumes: new Map(cluster.volumes.entries()),
    storageClasses: new Map(cluster.storageClasses.entries()),
    services: [...cluster.services.values()],
    controllerSelectors: new Map(cluster.controllerSelectors.entries()),
  };
  return { snapshot, pendingPods };
}

/** Pods that an earlier plan has found a node for hold their place there, whether the API knows of it or not. */
function withNominations(cluster: ClusterState, pods: readonly Pod[]): readonly Pod[] {
  if (cluster.nominations.size === 0) return pods;
  return pods.map((pod) => {
    const claimName = pod.nodeName === "" ? cluster.nominations.claimOf(pod.uid) : undefined;
    const claim = claimName === undefined ? undefined : cluster.claims.get(claimName);
    if (claim === undefined) return pod;
    // Until the node is there, it goes by the name of its claim.
    return { ...pod, nominatedNodeName: cluster.nodesOf(claim)[0]?.name ?? claim.name };
  });
}

function distinct(lists: readonly (readonly InstanceType[])[]): readonly InstanceType[] {
  const [first = []] = lists;
  const different = new Set(lists);
  return different.size === 1 ? first : [...different].flat();
}
