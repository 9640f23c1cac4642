import type { Pod } from "kubernetes-types/core/v1.js";
import { type PreparedFilters, prepareFilters } from "./filters/prepare-filters.ts";
import { claimsOf } from "./filters/volume-binding.ts";
import type { Rejection, Situation } from "./node-filter.ts";
import type { NodeState } from "./node-state.ts";
import { podInfoOf } from "./pod-info.ts";
import { type FailedAttempt, preempt } from "./preempt.ts";
import { countReasons, type Refusal } from "./refusal.ts";
import type { SchedulerCache } from "./scheduler-cache.ts";
import { scoreNodes } from "./scores/score-nodes.ts";
import { planVolumes, type VolumePlan } from "./volume-plan.ts";

export type Placement =
  | { readonly kind: "placed"; readonly node: string; readonly volumes: VolumePlan }
  | {
      readonly kind: "refused";
      readonly refusal: Refusal;
      /** What status.nominatedNodeName is to become; undefined leaves it alone. */
      readonly nominatedNodeName: string | undefined;
    };

const noVolumes: VolumePlan = { bindings: [], provisions: [] };
const nobodyAsked: Omit<Refusal, "nodeCount"> = { counts: new Map(), preemption: { kind: "none" } };
const fewestNodes = 100;
const smallestPercentage = 5;

/**
 * Decides as kube-scheduler 1.36 does with its default profile, except that it knows no device claims, no features that
 * nodes declare and no pod groups. It changes nothing but its own place in the list of nodes. Whoever calls it
 *
 * - leaves out pods that are gated ({@link gateMessage}), being deleted, or for another scheduler;
 * - for a pod that is placed: sets a copy of it with the nodeName in the cache, and copies of the volumes and claims of
 *   the plan as they will be, so that the next decision counts them; then writes the volumes, then binds the pod;
 * - for one that is refused: writes the condition PodScheduled and the event with `describeRefusal`, and the nomination;
 *   if there are victims, evicts them and clears nominations of pods of lower priority to the same node.
 */
export class Scheduler {
  readonly #cache: SchedulerCache;
  readonly #random: () => number;
  #start = 0;

  /** `random` is from 0 to below 1, and decides between equals. */
  constructor(cache: SchedulerCache, random: () => number) {
    this.#cache = cache;
    this.#random = random;
  }

  schedule(pod: Pod): Placement {
    const situation: Situation = { cache: this.#cache, pod: podInfoOf(pod) };
    const rejections = new Map<string, Rejection>();
    const nodeCount = this.#cache.nodes.length;
    if (nodeCount === 0) return { kind: "refused", refusal: { ...nobodyAsked, nodeCount }, nominatedNodeName: "" };
    const filters = prepareFilters(situation);
    if (typeof filters === "string") {
      const refusal = { ...nobodyAsked, nodeCount, message: filters };
      return { kind: "refused", refusal, nominatedNodeName: undefined };
    }
    const feasible = this.#nominatedFirst(situation, filters, rejections) ?? this.#search(filters, rejections);
    const node = this.#pick(situation, feasible);
    if (node === undefined) return this.#refuse({ situation, rejections, filters, random: this.#random });
    return { kind: "placed", node: node.name, volumes: volumesFor(situation, node) };
  }

  #nominatedFirst(
    { pod }: Situation,
    filters: PreparedFilters,
    rejections: Map<string, Rejection>,
  ): NodeState[] | undefined {
    const node = this.#cache.node(pod.pod.status?.nominatedNodeName ?? "");
    if (node === undefined) return undefined;
    const rejection = filters.refuse(node);
    if (rejection === undefined) return [node];
    rejections.set(node.name, rejection);
    return undefined;
  }

  /** From where the last search ended, and only until enough nodes are found, so that large clusters stay fast. */
  #search(filters: PreparedFilters, rejections: Map<string, Rejection>): NodeState[] {
    const nodes = worthALook(this.#cache, filters);
    const wanted = enoughOf(nodes.length);
    const feasible: NodeState[] = [];
    let seen = 0;
    for (; seen < nodes.length && feasible.length < wanted; seen++) {
      const node = nodes[(this.#start + seen) % nodes.length] as NodeState;
      const rejection = filters.refuse(node);
      if (rejection === undefined) feasible.push(node);
      else rejections.set(node.name, rejection);
    }
    this.#start = (this.#start + seen) % this.#cache.nodes.length;
    return feasible;
  }

  #pick(situation: Situation, nodes: readonly NodeState[]): NodeState | undefined {
    if (nodes.length < 2) return nodes[0];
    const totals = nodes.map(() => 0);
    for (const scores of scoreNodes(situation, nodes).values()) {
      for (const [position, score] of scores.entries()) totals[position] = (totals[position] ?? 0) + score;
    }
    const highest = Math.max(...totals);
    const best = nodes.filter((_, position) => totals[position] === highest);
    return best[Math.floor(this.#random() * best.length)];
  }

  #refuse(attempt: FailedAttempt): Placement {
    const nodeCount = this.#cache.nodes.length;
    const preemption = preempt(attempt);
    const absent = attempt.filters.only === undefined ? undefined : "node(s) didn't satisfy plugin(s) [NodeAffinity]";
    const counts = countReasons(attempt.rejections, { nodeCount, absent });
    return {
      kind: "refused",
      refusal: { nodeCount, counts, preemption },
      nominatedNodeName: preemption.kind === "victims" ? preemption.node : nominationAfter(preemption.kind),
    };
  }
}

/** A pod that may not preempt keeps its nomination; any other refusal clears it. */
function nominationAfter(kind: string): string | undefined {
  return kind === "not eligible" ? undefined : "";
}

/** Every node that the pod could go to now, in no particular order. */
export function feasibleNodes(cache: SchedulerCache, pod: Pod): string[] {
  const filters = prepareFilters({ cache, pod: podInfoOf(pod) });
  if (typeof filters === "string") return [];
  return worthALook(cache, filters)
    .filter((node) => filters.refuse(node) === undefined)
    .map(({ name }) => name);
}

/** Why the pod is not to be scheduled yet: the message of its condition PodScheduled with reason SchedulingGated. */
export function gateMessage(pod: Pod): string | undefined {
  const gates = pod.spec?.schedulingGates ?? [];
  return gates.length === 0 ? undefined : "Scheduling is blocked due to non-empty scheduling gates";
}

function worthALook(cache: SchedulerCache, { only }: PreparedFilters): readonly NodeState[] {
  if (only === undefined) return cache.nodes;
  return [...only].map((name) => cache.node(name)).filter((node) => node !== undefined);
}

/** Up to a hundred nodes all are compared, then a share that shrinks as the cluster grows. */
function enoughOf(nodes: number): number {
  const percentage = Math.max(smallestPercentage, 50 - Math.trunc(nodes / 125));
  return Math.max(Math.min(nodes, fewestNodes), Math.trunc((nodes * percentage) / 100));
}

function volumesFor({ cache, pod }: Situation, { node }: NodeState): VolumePlan {
  const claims = claimsOf(pod.pod, cache.storage);
  if (node === undefined || typeof claims === "string" || claims.unbound.length === 0) return noVolumes;
  const plan = planVolumes(claims.unbound, node, cache.storage);
  return typeof plan === "string" ? noVolumes : plan;
}
