import { daemonPodOnNewNode } from "../model/daemon-pod.ts";
import type { InstanceType } from "../model/instance-type.ts";
import { joinNodes } from "../model/join-nodes.ts";
import type { Node } from "../model/node.ts";
import type { NodePool } from "../model/node-pool.ts";
import type { NodePoolObject } from "../model/node-pool-object.ts";
import { type PlacedPods, placePods } from "../model/place-pods.ts";
import type { Pod } from "../model/pod.ts";
import { isActive } from "../model/pod-lifecycle.ts";
import type { Snapshot } from "../model/snapshot.ts";
import type { Taint } from "../model/taints.ts";
import type { ClusterState } from "./cluster-state.ts";
import { remembered } from "./remembered.ts";

export interface SnapshotQuestion {
  readonly instanceTypesOf: (pool: NodePoolObject) => readonly InstanceType[];
  /** What something else taints the new nodes of the pool with. */
  readonly observedTaintsOf?: (pool: NodePoolObject) => readonly Taint[];
  /** Whether a pod on a node that goes away stays there to the end instead of wanting a place elsewhere. */
  readonly mustStay: (pod: Pod) => boolean;
  /** Whether a pod that kube-scheduler has not tried yet is planned for as if it had been refused. */
  readonly isOnItsWay?: (pod: Pod) => boolean;
  /** Whether pods that an earlier plan meant for a node are pending, with that node as a hint, instead of placed on it. */
  readonly plansIntendedAnew?: boolean;
}

export interface TakenSnapshot {
  readonly snapshot: Snapshot;
  readonly pendingPods: readonly Pod[];
  /** The node that an earlier plan meant a pending pod for, by the pod's uid. */
  readonly hints: ReadonlyMap<string, string>;
}

/**
 * The cluster as it is now, with what waits for a place. What has not changed since the last one is the same object
 * again, so that nobody need look at it twice.
 */
export function takeSnapshot(cluster: ClusterState, question: SnapshotQuestion): TakenSnapshot {
  const { instanceTypesOf, observedTaintsOf = () => [] } = question;
  const observed = new Map<string, readonly Taint[]>();
  const pools = [...cluster.pools.values()].flatMap((object) => {
    if (object.pool === undefined) return [];
    const taints = observedTaintsOf(object);
    if (taints.length > 0) observed.set(object.name, taints);
    const pool = withInstanceTypes(object.pool, instanceTypesOf(object));
    return [taints.length === 0 ? pool : { ...pool, taints: withTaints(pool.taints, taints) }];
  });
  const joined = joinNodes({
    nodes: [...cluster.nodes.values()],
    claims: [...cluster.claims.values()],
    volumeLimits: cluster.attachLimits.copy(),
    instanceTypes: distinct(pools.map(({ instanceTypes }) => instanceTypes)),
  });
  // Its next nodes will have them, too.
  const asExpected = (node: Node): Node => {
    const taints = node.isInitialized ? undefined : observed.get(node.nodePool);
    return taints === undefined ? node : { ...node, taints: withTaints(node.taints, taints) };
  };
  const nodes = observed.size === 0 ? joined : joined.map(asExpected);
  const { podsByNode, pendingPods, hints } = place(cluster, nodes, question);
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
  return { snapshot, pendingPods, hints };
}

/** The planner remembers what it works out for the machines of a pool. */
const withInstanceTypes = remembered(
  (pool: Omit<NodePool, "instanceTypes">, instanceTypes: readonly InstanceType[]): NodePool => ({
    ...pool,
    instanceTypes,
  }),
);

function withTaints(taints: readonly Taint[], more: readonly Taint[]): readonly Taint[] {
  return more.length === 0 ? taints : [...taints, ...more];
}

/** Only pods without a node, and those whose node goes away, need to be looked at; the others are where they are. */
function place(
  cluster: ClusterState,
  nodes: readonly Node[],
  { mustStay, isOnItsWay, plansIntendedAnew = false }: SnapshotQuestion,
): PlacedPods & Pick<TakenSnapshot, "hints"> {
  const podsByNode = new Map(cluster.places.byNode());
  const unsettled: Pod[] = [];
  const hinted: Pod[] = [];
  const hints = new Map<string, string>();
  for (const pod of [...cluster.places.withoutNode(), ...cluster.intendedPods.expectedPods()]) {
    const nodeName = intendedNode(cluster, pod);
    if (nodeName === undefined) {
      if (pod.expectation === undefined)
        unsettled.push(isOnItsWay?.(pod) === true ? withReason(pod, "Unschedulable") : pod);
    } else if (!plansIntendedAnew) unsettled.push(nominated(pod, nodeName));
    else if (isActive(pod) && !pod.isGated) {
      hinted.push(pod);
      hints.set(pod.uid, nodeName);
    }
  }
  for (const { name, isDeleting } of nodes) {
    if (!isDeleting) continue;
    unsettled.push(...(podsByNode.get(name) ?? []));
    podsByNode.delete(name);
  }
  const placed = placePods(unsettled, nodes, { rule: "unschedulable", mustStay });
  for (const [name, pods] of placed.podsByNode) podsByNode.set(name, [...(podsByNode.get(name) ?? []), ...pods]);
  return { podsByNode, pendingPods: [...hinted, ...placed.pendingPods], hints };
}

/** Until the node is there, it goes by the name of its claim. Where kube-scheduler makes room for a pod itself, it knows better. */
function intendedNode(cluster: ClusterState, pod: Pod): string | undefined {
  const claim = cluster.claims.get(cluster.intendedPods.claimOf(pod.uid) ?? "");
  if (claim === undefined || cluster.nodes.get(pod.nominatedNodeName) !== undefined) return undefined;
  return cluster.nodesOf(claim)[0]?.name ?? claim.name;
}

const withReason = remembered((pod: Pod, scheduledReason: string): Pod => ({ ...pod, scheduledReason }));
const nominated = remembered((pod: Pod, nominatedNodeName: string): Pod => ({ ...pod, nominatedNodeName }));
const daemonPod = remembered(daemonPodOnNewNode);

function distinct(lists: readonly (readonly InstanceType[])[]): readonly InstanceType[] {
  const [first = noTypes, ...others] = new Set(lists);
  return others.reduce(concatenated, first);
}

const noTypes: readonly InstanceType[] = [];
const concatenated = remembered(
  (first: readonly InstanceType[], second: readonly InstanceType[]): readonly InstanceType[] => [...first, ...second],
);
