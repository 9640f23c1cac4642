import { takeSnapshot } from "../../core/cluster/take-snapshot.ts";
import type { Candidate } from "../../core/disruption/candidate.ts";
import { type Fork, forkWithout } from "../../core/disruption/fork-snapshot.ts";
import { isConditionTrue } from "../../core/model/condition.ts";
import { mustStay } from "../../core/model/disruption-budget.ts";
import { decidedLabels } from "../../core/model/join-node.ts";
import {
  capacityTypeLabel,
  hostnameLabel,
  initializedLabel,
  instanceTypeLabel,
  nodePoolLabel,
  zoneLabel,
} from "../../core/model/labels.ts";
import type { Node } from "../../core/model/node.ts";
import type { NodePool } from "../../core/model/node-pool.ts";
import { findInstanceType } from "../../core/model/node-price.ts";
import type { Pod } from "../../core/model/pod.ts";
import { isReschedulable } from "../../core/model/pod-lifecycle.ts";
import { noResources } from "../../core/model/resources.ts";
import type { Snapshot } from "../../core/model/snapshot.ts";
import { usedByNode } from "../../core/scheduling/budgets.ts";
import type { PlanningRequest, PlanRequest } from "../../core/scheduling/plan-request.ts";
import type { NodeToLaunch, PlanAnswer } from "../../ports/planner.ts";
import type { Order } from "./command.ts";
import type { DisruptorOptions } from "./disruptor-options.ts";
import type { Look } from "./look.ts";

type SimulationOptions = Pick<DisruptorOptions, "cluster" | "cloud" | "planner" | "settings">;

/** What moving the pods of some nodes takes. */
export type Simulated = Pick<PlanAnswer, "nodes" | "refusals" | "placements">;

/**
 * The cluster as it will be once everything has come to rest that is under way: nodes that are to go are gone, and their
 * pods and those that wait are where there is room for them. Pods that need new nodes are left out, because those nodes
 * are bought by somebody else and have room for nobody else.
 */
export class Simulation {
  readonly #options: SimulationOptions;
  readonly #look: Look;
  readonly snapshot: Snapshot;

  private constructor(options: SimulationOptions, look: Look, snapshot: Snapshot) {
    this.#options = options;
    this.#look = look;
    this.snapshot = snapshot;
  }

  static async begin(options: SimulationOptions, look: Look, going: readonly string[]): Promise<Simulation> {
    const { cluster, planner } = options;
    const { view } = look;
    const taken = takeSnapshot(cluster, {
      instanceTypesOf: (pool) => view.instanceTypesOf(pool.name),
      mustStay: (pod) => mustStay(pod, view.budgets, view.now),
    });
    const gone = new Set(going.map((name) => cluster.claims.get(name)?.nodeName ?? ""));
    const { snapshot, pendingPods } = forkWithout(taken.snapshot, taken.pendingPods, {
      gone,
      mayMove: (pod) => mayMove(pod, look),
    });
    if (pendingPods.length === 0) return new Simulation(options, look, snapshot);
    const { placements } = await planner.plan(exactly(requestOf(options, snapshot, pendingPods)));
    const waiting = new Map(pendingPods.map((pod) => [pod.uid, pod]));
    const podsByNode = new Map(snapshot.podsByNode);
    for (const { nodeName, podUids } of placements) {
      const arrived = podUids.flatMap((uid) => waiting.get(uid) ?? []);
      podsByNode.set(nodeName, [...(podsByNode.get(nodeName) ?? []), ...arrived]);
    }
    return new Simulation(options, look, { ...snapshot, podsByNode });
  }

  /** What it takes to let these go. */
  async without(candidates: readonly Candidate[], destinations: ReadonlySet<string>): Promise<Simulated> {
    const { snapshot, pendingPods } = this.#fork(candidates, destinations);
    if (pendingPods.length === 0) return { nodes: [], refusals: [], placements: [] };
    return await this.#options.planner.plan(exactly(requestOf(this.#options, snapshot, pendingPods)));
  }

  /**
   * Why these orders cannot all be carried out: what they launch takes the pods that it is meant for and no others, and
   * is all that is bought.
   */
  async objectionTo(
    orders: readonly Pick<Order, "candidates" | "launches">[],
    destinations: ReadonlySet<string>,
  ): Promise<string | undefined> {
    const after = withLaunches(
      this.#fork(
        orders.flatMap(({ candidates }) => candidates),
        destinations,
      ),
      orders.flatMap(({ launches }) => launches),
    );
    if (typeof after === "string") return after;
    const { snapshot, pendingPods } = after;
    if (pendingPods.length === 0) return undefined;
    const { nodes, refusals } = await this.#options.planner.plan(
      exactly(requestOf(this.#options, snapshot, pendingPods)),
    );
    if (refusals.length > 0) return `a pod would have nowhere to go: ${refusals[0]?.reason}`;
    return nodes.length > 0 ? "its pods would need another machine now" : undefined;
  }

  #fork(candidates: readonly Candidate[], destinations: ReadonlySet<string>): Fork {
    const gone = new Set(candidates.map(({ node }) => node.name));
    return forkWithout(this.snapshot, [], { gone, destinations, mayMove: (pod) => mayMove(pod, this.#look) });
  }

  request(): PlanningRequest {
    return requestOf(this.#options, this.snapshot, []);
  }
}

/** Nodes that are up, whoever had pods come or go lately. */
export function initializedNodes({ view: { cluster, isBusy } }: Look): ReadonlySet<string> {
  const names = new Set<string>();
  for (const node of cluster.nodes.values()) {
    const [claim] = cluster.claimsOf(node);
    const isUp = claim === undefined || (node.labels.get(initializedLabel) === "true" && !isBusy(claim.name));
    if (isUp && node.deletedAt === undefined) names.add(node.name);
  }
  return names;
}

/** Names of nodes that are not up yet, or never will be, and that nobody takes care of who has bought them to move pods. */
export function joiningNodes(
  { view: { cluster, isBusy } }: Look,
  isTakenBack: (claimName: string) => boolean,
): ReadonlySet<string> {
  const names = new Set<string>();
  for (const claim of cluster.claims.values()) {
    const isInUse = isBusy(claim.name) && !isTakenBack(claim.name);
    if (claim.deletedAt !== undefined || isConditionTrue(claim, "Initialized") || isInUse) continue;
    // Until the node is there, it goes by the name of its claim.
    names.add(cluster.nodesOf(claim)[0]?.name ?? claim.name);
  }
  return names;
}

/** Whoever stays to the end needs no other place before it. */
function mayMove(pod: Pod, { view: { budgets, now } }: Look): boolean {
  return isReschedulable(pod) && !mustStay(pod, budgets, now);
}

function requestOf(
  { cloud, settings }: SimulationOptions,
  snapshot: Snapshot,
  pendingPods: readonly Pod[],
): PlanningRequest {
  const { preferencePolicy, minValuesPolicy, defaultSpread } = settings;
  const { wellKnownLabels } = cloud;
  return { snapshot, pendingPods, preferencePolicy, minValuesPolicy, wellKnownLabels, defaultSpread };
}

/** No pod waits for this plan: it says what would be needed at the least. */
function exactly(request: PlanningRequest): PlanRequest {
  return { ...request, hints: noHints, placement: "Bind" };
}

const noHints: ReadonlyMap<string, string> = new Map();

/** As it will be when they are there, with their pods; in words why they may not be bought. */
function withLaunches({ snapshot, pendingPods }: Fork, launches: readonly NodeToLaunch[]): Fork | string {
  if (launches.length === 0) return { snapshot, pendingPods };
  const pools = new Map(snapshot.nodePools.map((pool) => [pool.name, pool]));
  const waiting = new Map(pendingPods.map((pod) => [pod.uid, pod]));
  const podsByNode = new Map(snapshot.podsByNode);
  const nodes = [...snapshot.nodes];
  for (const [index, launch] of launches.entries()) {
    const pool = pools.get(launch.poolName);
    if (pool === undefined) return `NodePool "${launch.poolName}" is gone`;
    const node = nodeOf(launch, pool, `launch ${index}`);
    nodes.push(node);
    podsByNode.set(
      node.name,
      launch.podUids.flatMap((uid) => waiting.get(uid) ?? []),
    );
    for (const uid of launch.podUids) waiting.delete(uid);
  }
  for (const name of new Set(launches.map(({ poolName }) => poolName))) {
    const own = nodes.filter(({ nodePool, isDeleting }) => nodePool === name && !isDeleting);
    for (const [resource, limit] of pools.get(name)?.limits ?? []) {
      const used = own.reduce((sum, node) => sum + usedByNode(node, resource), 0);
      if (used > limit)
        return `the limit of NodePool "${name}" on ${resource} leaves no room for what would replace it`;
    }
  }
  return { snapshot: { ...snapshot, nodes, podsByNode }, pendingPods: [...waiting.values()] };
}

/** Without room for others: whoever counts on it would have nowhere to go if it did not come. */
function nodeOf(launch: NodeToLaunch, pool: NodePool, name: string): Node {
  const type = findInstanceType(pool.instanceTypes, launch.instanceType);
  return {
    name,
    labels: new Map([
      ...decidedLabels(launch.requirements),
      ...pool.labels,
      [nodePoolLabel, launch.poolName],
      [instanceTypeLabel, launch.instanceType],
      [zoneLabel, launch.zone],
      [capacityTypeLabel, launch.capacityType],
      [hostnameLabel, name],
    ]),
    taints: pool.taints,
    capacity: new Map(type?.capacity ?? noResources).set("nodes", 1),
    allocatable: noResources,
    nodePool: launch.poolName,
    isInitialized: false,
    isDeleting: false,
    volumeLimits: noResources,
    price: launch.price,
  };
}
