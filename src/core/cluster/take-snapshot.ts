import { daemonPodOnNewNode } from "../model/daemon-pod.ts";
import type { InstanceType } from "../model/instance-type.ts";
import { joinNodes } from "../model/join-nodes.ts";
import type { Node } from "../model/node.ts";
import type { NodePoolObject } from "../model/node-pool-object.ts";
import { type PlacedPods, placePods } from "../model/place-pods.ts";
import type { Pod } from "../model/pod.ts";
import type { Snapshot } from "../model/snapshot.ts";
import type { ClusterState } from "./cluster-state.ts";
import { remembered } from "./remembered.ts";

export interface SnapshotQuestion {
  readonly instanceTypesOf: (pool: NodePoolObject) => readonly InstanceType[];
  /** Whether a pod on a node that goes away stays there to the end instead of wanting a place elsewhere. */
  readonly mustStay: (pod: Pod) => boolean;
}

export interface TakenSnapshot {
  readonly snapshot: Snapshot;
  readonly pendingPods: readonly Pod[];
}

/**
 * The cluster as it is now, with what waits for a place. What has not changed since the last one is the same object
 * again, so that nobody need look at it twice.
 */
export function takeSnapshot(cluster: ClusterState, { instanceTypesOf, mustStay }: SnapshotQuestion): TakenSnapshot {
  const pools = [...cluster.pools.values()].flatMap((object) =>
    object.pool === undefined ? [] : [{ ...object.pool, instanceTypes: instanceTypesOf(object) }],
  );
  const nodes = joinNodes({
    nodes: [...cluster.nodes.values()],
    claims: [...cluster.claims.values()],
    volumeLimits: cluster.attachLimits.copy(),
    instanceTypes: distinct(pools.map(({ instanceTypes }) => instanceTypes)),
  });
  const { podsByNode, pendingPods } = place(cluster, nodes, mustStay);
  const snapshot: Snapshot = {
    nodePools: pools,
    nodes,
    podsByNode,
    daemonPods: Array.from(cluster.daemonSets.entries(), ([key, template]) =>
      daemonPod(template, cluster.places.newestOfDaemonSet(key)),
    ),
    namespaces: cluster.namespaces.copy(),
    volumeClaims: cluster.volumeClaims.copy(),
    volumes: cluster.volumes.copy(),
    storageClasses: cluster.storageClasses.copy(),
    services: [...cluster.services.values()],
    controllerSelectors: cluster.controllerSelectors.copy(),
  };
  return { snapshot, pendingPods };
}

/** Only pods without a node, and those whose node goes away, need to be looked at; the others are where they are. */
function place(cluster: ClusterState, nodes: readonly Node[], mustStay: (pod: Pod) => boolean): PlacedPods {
  const podsByNode = new Map(cluster.places.byNode());
  const unsettled = Array.from(cluster.places.withoutNode(), (pod) => withNomination(cluster, pod));
  for (const { name, isDeleting } of nodes) {
    if (!isDeleting) continue;
    unsettled.push(...(podsByNode.get(name) ?? []));
    podsByNode.delete(name);
  }
  const placed = placePods(unsettled, nodes, { rule: "unschedulable", mustStay });
  for (const [name, pods] of placed.podsByNode) podsByNode.set(name, [...(podsByNode.get(name) ?? []), ...pods]);
  return { podsByNode, pendingPods: placed.pendingPods };
}

/** A pod that an earlier plan has found a node for holds its place there, whether the API knows of it or not. */
function withNomination(cluster: ClusterState, pod: Pod): Pod {
  const claimName = cluster.nominations.claimOf(pod.uid);
  const claim = claimName === undefined ? undefined : cluster.claims.get(claimName);
  if (claim === undefined) return pod;
  // Until the node is there, it goes by the name of its claim.
  return nominated(pod, cluster.nodesOf(claim)[0]?.name ?? claim.name);
}

const nominated = remembered((pod: Pod, nominatedNodeName: string): Pod => ({ ...pod, nominatedNodeName }));
const daemonPod = remembered(daemonPodOnNewNode);

function distinct(lists: readonly (readonly InstanceType[])[]): readonly InstanceType[] {
  const [first = noTypes, ...others] = new Set(lists);
  return others.reduce(joined, first);
}

const noTypes: readonly InstanceType[] = [];
const joined = remembered(
  (first: readonly InstanceType[], second: readonly InstanceType[]): readonly InstanceType[] => [...first, ...second],
);
