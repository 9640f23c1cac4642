import { takeSnapshot } from "../../core/cluster/take-snapshot.ts";
import type { Candidate } from "../../core/disruption/candidate.ts";
import { forkWithout } from "../../core/disruption/fork-snapshot.ts";
import { mustStay } from "../../core/model/disruption-budget.ts";
import { initializedLabel } from "../../core/model/labels.ts";
import type { Pod } from "../../core/model/pod.ts";
import { isReschedulable } from "../../core/model/pod-lifecycle.ts";
import type { Snapshot } from "../../core/model/snapshot.ts";
import type { PlanAnswer, PlanRequest } from "../../ports/planner.ts";
import type { DisruptorOptions } from "./disruptor-options.ts";
import type { Look } from "./look.ts";

type SimulationOptions = Pick<DisruptorOptions, "cluster" | "cloud" | "planner" | "settings">;

/** What moving the pods of some nodes takes. */
export interface Simulated extends Pick<PlanAnswer, "nodes" | "refusals"> {
  /** Dollars an hour of the nodes that would be bought. */
  readonly cost: number;
}

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
    const { placements } = await planner.plan(requestOf(options, snapshot, pendingPods));
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
    const gone = new Set(candidates.map(({ node }) => node.name));
    const moving = (pod: Pod): boolean => mayMove(pod, this.#look);
    const { snapshot, pendingPods } = forkWithout(this.snapshot, [], { gone, destinations, mayMove: moving });
    if (pendingPods.length === 0) return { nodes: [], refusals: [], cost: 0 };
    const answer = await this.#options.planner.plan(requestOf(this.#options, snapshot, pendingPods));
    return { ...answer, cost: answer.nodes.reduce((sum, { price }) => sum + price, 0) };
  }

  request(): PlanRequest {
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

/** Whoever stays to the end needs no other place before it. */
function mayMove(pod: Pod, { view: { budgets, now } }: Look): boolean {
  return isReschedulable(pod) && !mustStay(pod, budgets, now);
}

function requestOf(
  { cloud, settings }: SimulationOptions,
  snapshot: Snapshot,
  pendingPods: readonly Pod[],
): PlanRequest {
  const { preferencePolicy, minValuesPolicy, defaultSpread } = settings;
  const { wellKnownLabels } = cloud;
  return { snapshot, pendingPods, preferencePolicy, minValuesPolicy, wellKnownLabels, defaultSpread };
}
