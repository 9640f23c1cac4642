import type { ClusterState } from "../../core/cluster/cluster-state.ts";
import { isFinished } from "../../core/model/pod-lifecycle.ts";
import { addResources, noResources, type Resources } from "../../core/model/resources.ts";
import { shareOf } from "../terminal/describe.ts";
import { isReady, lookAtNodes, type NodeLook, type PriceFinder } from "./look-at-cluster.ts";
import type { SortKey } from "./sort-keys.ts";
import type { Usage } from "./usage.ts";

export interface FleetNode extends NodeLook {
  /** Undefined where nobody measures it. */
  readonly used: Resources | undefined;
}

export interface FleetTotals {
  readonly nodes: number;
  readonly ready: number;
  /** Pods on nodes. */
  readonly pods: number;
  /** Pods without a node. */
  readonly waiting: number;
  /** Dollars an hour, of the nodes whose price is known. */
  readonly price: number;
  readonly unpriced: number;
  readonly allocatable: Resources;
  readonly requested: Resources;
  readonly used: Resources | undefined;
}

export interface Fleet {
  readonly nodes: readonly FleetNode[];
  readonly totals: FleetTotals;
}

export const hoursPerMonth = 730;

export function lookAtFleet(
  cluster: ClusterState,
  now: number,
  { findPrice, usage }: { readonly findPrice: PriceFinder; readonly usage: Usage },
): Fleet {
  const nodes = lookAtNodes(cluster, now, findPrice).map((node) => ({ ...node, used: usage?.get(node.nodeName) }));
  return { nodes, totals: { ...addUpNodes(nodes), waiting: countWaiting(cluster) } };
}

export function addUpNodes(nodes: readonly FleetNode[]): Omit<FleetTotals, "waiting"> {
  const sum = (read: (node: FleetNode) => Resources | undefined): Resources =>
    nodes.reduce((total, node) => addResources(total, read(node) ?? noResources), noResources);
  const there = nodes.filter(({ nodeName }) => nodeName !== "");
  return {
    nodes: nodes.length,
    ready: nodes.filter(isReady).length,
    pods: nodes.reduce((total, { pods }) => total + pods, 0),
    price: nodes.reduce((total, { price }) => total + (price ?? 0), 0),
    unpriced: nodes.filter(({ price }) => price === undefined).length,
    allocatable: sum(({ allocatable }) => allocatable),
    requested: sum(({ requested }) => requested),
    used: there.some(({ used }) => used !== undefined) ? sum(({ used }) => used) : undefined,
  };
}

function countWaiting({ pods }: ClusterState): number {
  return [...pods.values()].filter((pod) => pod.nodeName === "" && !pod.isDeleting && !isFinished(pod)).length;
}

const readKey: Readonly<Record<SortKey, (node: FleetNode) => string | number>> = {
  pool: ({ pool }) => pool,
  name: nameOf,
  type: ({ instanceType }) => instanceType,
  zone: ({ zone }) => zone,
  // Where more is of interest, more comes first.
  price: ({ price = 0 }) => -price,
  cpu: ({ requested, allocatable }) => -shareOf("cpu", requested, allocatable),
  memory: ({ requested, allocatable }) => -shareOf("memory", requested, allocatable),
  pods: ({ pods }) => -pods,
  age: ({ ageMilliseconds }) => ageMilliseconds,
  state: ({ state }) => state,
};

/** Nodes that are equal keep the order that they had. */
export function sortNodes(nodes: readonly FleetNode[], key: SortKey, isReversed: boolean): readonly FleetNode[] {
  const read = readKey[key];
  const sign = isReversed ? -1 : 1;
  return nodes.toSorted((a, b) => {
    const [left, right] = [read(a), read(b)];
    if (left === right) return 0;
    return left < right ? -sign : sign;
  });
}

/** Those in which every word is found: in a name, or in what they are, where, and in which state. */
export function filterNodes(nodes: readonly FleetNode[], filter: string): readonly FleetNode[] {
  const words = filter
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== "");
  if (words.length === 0) return nodes;
  return nodes.filter(({ name, nodeName, pool, instanceType, zone, capacityType, state }) => {
    const text = [name, nodeName, pool, instanceType, zone, capacityType, state].join("\n").toLowerCase();
    return words.every((word) => text.includes(word));
  });
}

/** As `kubectl get nodes` has it, once there is a node. */
export function nameOf({ name, nodeName }: NodeLook): string {
  return nodeName === "" ? name : nodeName;
}

export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}
