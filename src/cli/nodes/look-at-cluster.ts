import type { ClusterState } from "../../core/cluster/cluster-state.ts";
import { isConditionTrue } from "../../core/model/condition.ts";
import {
  capacityTypeLabel,
  instanceTypeLabel,
  type Labels,
  nodePoolLabel,
  zoneLabel,
} from "../../core/model/labels.ts";
import type { NodeClaim } from "../../core/model/node-claim.ts";
import { isNodeReady, type NodeObject } from "../../core/model/node-object.ts";
import { isFinished } from "../../core/model/pod-lifecycle.ts";
import type { Resources } from "../../core/model/resources.ts";
import { addResources, noResources } from "../../core/model/resources.ts";
import { disruptedTaint } from "../../core/model/taints.ts";

export type NodeState =
  | "launching"
  | "booting"
  | "registering"
  | "starting"
  | "ready"
  | "not ready"
  | "cordoned"
  /** It runs, and is no longer what its pool asks for. */
  | "drifted"
  /** It was chosen to go, and takes no more pods. */
  | "disrupted"
  | "draining"
  | "ending";

/** A node, or a claim whose node is on its way. */
export interface NodeLook {
  /** Of the claim where there is one, because it is there first. */
  readonly name: string;
  /** "" while there is none. */
  readonly nodeName: string;
  readonly pool: string;
  readonly instanceType: string;
  readonly zone: string;
  readonly capacityType: string;
  /** Dollars an hour; undefined for a node that nobody here pays for. */
  readonly price: number | undefined;
  readonly ageMilliseconds: number;
  readonly state: NodeState;
  readonly allocatable: Resources;
  readonly requested: Resources;
  readonly pods: number;
}

/** Dollars an hour of the machine with these labels, which goes by this id; undefined when nobody knows. */
export type PriceFinder = (labels: Labels, providerId: string) => number | undefined;

const priceLabel = "eks-node-viewer/instance-price";

/** What the machine itself says. */
export function labelledPrice(labels: Labels): number | undefined {
  const price = Number(labels.get(priceLabel) ?? Number.NaN);
  return Number.isFinite(price) ? price : undefined;
}

/** In Karpenter's words, also for the managed node groups of EKS, which have their own; "" when nobody says. */
export function capacityTypeOf(labels: Labels): string {
  const group = labels.get("eks.amazonaws.com/capacityType") ?? "";
  return labels.get(capacityTypeLabel) ?? group.toLowerCase().replace("_", "-");
}

/** A node with its claim, or one of them alone. */
export interface Machine {
  readonly claim: NodeClaim | undefined;
  readonly node: NodeObject | undefined;
  readonly labels: Labels;
  readonly providerId: string;
}

/** Every node, and every claim without one. */
export function machinesIn(cluster: ClusterState): readonly Machine[] {
  const nodes = [...cluster.nodes.values()].map((node) => machineOf(claimOf(cluster, node), node));
  const coming = [...cluster.claims.values()]
    .filter((claim) => claim.providerId === "" || cluster.nodesOf(claim).length === 0)
    .map((claim) => machineOf(claim, undefined));
  return [...nodes, ...coming];
}

function machineOf(claim: NodeClaim | undefined, node: NodeObject | undefined): Machine {
  return {
    claim,
    node,
    labels: new Map([...(claim?.labels ?? []), ...(node?.labels ?? [])]),
    providerId: node?.providerId ?? claim?.providerId ?? "",
  };
}

/** Pool by pool, the oldest first. */
export function lookAtNodes(
  cluster: ClusterState,
  now: number,
  findPrice: PriceFinder = labelledPrice,
): readonly NodeLook[] {
  return machinesIn(cluster)
    .map((machine) => ({
      ...lookAtMachine(cluster, machine, now),
      price: findPrice(machine.labels, machine.providerId),
    }))
    .sort((a, b) => compare(a.pool, b.pool) || b.ageMilliseconds - a.ageMilliseconds || compare(a.name, b.name));
}

function lookAtMachine(cluster: ClusterState, { claim, node, labels }: Machine, now: number): Omit<NodeLook, "price"> {
  const pods = node === undefined ? [] : cluster.podsOnNode(node.name).filter((pod) => !isFinished(pod));
  return {
    name: claim?.name ?? node?.name ?? "",
    nodeName: node?.name ?? "",
    pool: labels.get(nodePoolLabel) ?? "",
    instanceType: labels.get(instanceTypeLabel) ?? "",
    zone: labels.get(zoneLabel) ?? "",
    capacityType: capacityTypeOf(labels),
    ageMilliseconds: now - (claim?.createdAt ?? node?.createdAt ?? now),
    state: stateOf(claim, node),
    allocatable: node?.allocatable ?? claim?.allocatable ?? noResources,
    requested: pods.reduce((sum, { spec }) => addResources(sum, spec.requests), noResources),
    pods: pods.length,
  };
}

export function stateOf(claim: NodeClaim | undefined, node: NodeObject | undefined): NodeState {
  if (claim?.deletedAt !== undefined || node?.deletedAt !== undefined) {
    const isDrained = claim === undefined || node === undefined || isConditionTrue(claim, "Drained");
    return isDrained ? "ending" : "draining";
  }
  if (claim !== undefined && !isConditionTrue(claim, "Launched")) return "launching";
  if (node === undefined) return "booting";
  if (claim !== undefined && !isConditionTrue(claim, "Registered")) return "registering";
  if (claim !== undefined && !isConditionTrue(claim, "Initialized")) return "starting";
  if (!isNodeReady(node)) return "not ready";
  if (node.taints.some(({ key }) => key === disruptedTaint.key)) return "disrupted";
  if (node.taints.some(({ key }) => key === "node.kubernetes.io/unschedulable")) return "cordoned";
  return claim !== undefined && isConditionTrue(claim, "Drifted") ? "drifted" : "ready";
}

/** Whether pods can run on it as on any other. */
export function isReady({ state }: Pick<NodeLook, "state">): boolean {
  return state === "ready" || state === "drifted";
}

export interface PoolLook {
  readonly name: string;
  readonly nodes: number;
  /** Set on a static pool. */
  readonly replicas: number | undefined;
  readonly price: number;
  readonly resources: Resources;
  readonly limits: Resources;
  /** Why nothing can be bought of it, "" when it can. */
  readonly problem: string;
}

export function lookAtPools(cluster: ClusterState, nodes: readonly NodeLook[]): readonly PoolLook[] {
  return [...cluster.pools.values()]
    .map((pool) => {
      const own = nodes.filter((node) => node.pool === pool.name);
      return {
        name: pool.name,
        nodes: own.length,
        replicas: pool.replicas,
        price: own.reduce((sum, { price }) => sum + (price ?? 0), 0),
        resources: pool.status.resources,
        limits: pool.limits,
        problem: pool.problems[0] ?? pool.pool?.unusableBecause ?? "",
      };
    })
    .sort((a, b) => compare(a.name, b.name));
}

export interface Totals {
  readonly nodes: number;
  readonly ready: number;
  readonly price: number;
  readonly running: number;
  /** They have a node, and their containers are not up yet. */
  readonly starting: number;
  /** They have no node. */
  readonly pending: number;
  readonly allocatable: Resources;
  readonly requested: Resources;
}

/** Pods still run there. */
const goesOn: ReadonlySet<NodeState> = new Set(["cordoned", "disrupted", "draining"]);

/** Of the nodes that somebody pays for, and all pods. */
export function addUp(cluster: ClusterState, nodes: readonly NodeLook[]): Totals {
  const bought = nodes.filter(({ pool }) => pool !== "");
  const there = bought.filter((node) => isReady(node) || goesOn.has(node.state));
  let [running, starting, pending] = [0, 0, 0];
  for (const pod of cluster.pods.values()) {
    if (pod.isDeleting || isFinished(pod)) continue;
    if (pod.nodeName === "") pending++;
    else if (pod.phase === "Running") running++;
    else starting++;
  }
  return {
    nodes: bought.length,
    ready: bought.filter(isReady).length,
    price: bought.reduce((sum, { price }) => sum + (price ?? 0), 0),
    running,
    starting,
    pending,
    allocatable: there.reduce((sum, node) => addResources(sum, node.allocatable), noResources),
    requested: there.reduce((sum, node) => addResources(sum, node.requested), noResources),
  };
}

export function claimOf(cluster: ClusterState, node: NodeObject): NodeClaim | undefined {
  return cluster.claimsOf(node)[0];
}

function compare(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
