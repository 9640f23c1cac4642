import type { Pod } from "kubernetes-types/core/v1.js";
import { matcherOf } from "../label-matcher.ts";
import type { PreparedFilters } from "./filters/prepare-filters.ts";
import { type Rejection, type Situation, unresolvable } from "./node-filter.ts";
import type { NodeState } from "./node-state.ts";
import type { PodInfo } from "./pod-info.ts";
import { countReasons, type Preemption } from "./refusal.ts";

/** A node, and who would have to leave it, the most important first. */
export interface PreemptionCandidate {
  readonly node: NodeState;
  readonly victims: readonly PodInfo[];
  readonly budgetViolations: number;
}

const noVictims = unresolvable("No preemption victims found for incoming pod");
const noHelp = "Preemption is not helpful for scheduling";
const smallestSearch = 100;
const searchedShare = 0.1;

export interface FailedAttempt {
  readonly situation: Situation;
  readonly filters: PreparedFilters;
  readonly rejections: ReadonlyMap<string, Rejection>;
  readonly random: () => number;
}

export function preempt(attempt: FailedAttempt): Preemption {
  const message = ineligibility(attempt);
  if (message !== undefined) return { kind: "not eligible", message };
  const { candidates, rejections } = findCandidates(attempt);
  const best = bestOf(candidates);
  if (best !== undefined) {
    return { kind: "victims", node: best.node.name, victims: best.victims.map(({ pod }) => pod) };
  }
  const nodeCount = attempt.situation.cache.nodes.length;
  return { kind: "no help", nodeCount, counts: countReasons(rejections, { nodeCount, absent: noHelp }) };
}

function ineligibility({ situation: { cache, pod }, rejections }: FailedAttempt): string | undefined {
  const { preemptionPolicy } = pod.pod.spec ?? {};
  if (preemptionPolicy === "Never") return "not eligible due to preemptionPolicy=Never.";
  const nominated = pod.pod.status?.nominatedNodeName ?? "";
  if (nominated === "" || rejections.get(nominated)?.isResolvable !== true) return undefined;
  for (const other of cache.node(nominated)?.pods ?? []) {
    if (other.priority < pod.priority && isBeingPreempted(other.pod)) {
      return "not eligible due to a terminating pod on the nominated node.";
    }
  }
  return undefined;
}

function isBeingPreempted({ metadata, status }: Pod): boolean {
  const target = status?.conditions?.find(({ type }) => type === "DisruptionTarget");
  const isTarget = target?.status === "True" && target.reason === "PreemptionByScheduler";
  return metadata?.deletionTimestamp !== undefined && isTarget;
}

interface Search {
  readonly candidates: readonly PreemptionCandidate[];
  readonly rejections: ReadonlyMap<string, Rejection>;
}

/** In a large cluster some nodes are enough, from a random one on. */
export function findCandidates({ situation, filters, rejections, random }: FailedAttempt): Search {
  const nodes = situation.cache.nodes.filter(({ name }) => rejections.get(name)?.isResolvable === true);
  const wanted = Math.max(smallestSearch, Math.floor(nodes.length * searchedShare));
  const offset = Math.floor(random() * nodes.length);
  const candidates: PreemptionCandidate[] = [];
  const refused = new Map<string, Rejection>();
  for (const node of [...nodes.slice(offset), ...nodes.slice(0, offset)]) {
    const found = tryNode(situation, filters, node);
    if ("reasons" in found) refused.set(node.name, found);
    else candidates.push(found);
    if (candidates.length >= wanted && candidates.some(({ budgetViolations }) => budgetViolations === 0)) break;
  }
  return { candidates, rejections: refused };
}

/** Takes everybody off who may be taken, then lets back, in order of importance, those beside whom the pod still fits. */
function tryNode(situation: Situation, filters: PreparedFilters, node: NodeState): PreemptionCandidate | Rejection {
  const { pod } = situation;
  const movable = [...node.pods].filter(({ priority }) => priority < pod.priority).sort(moreImportantFirst);
  if (movable.length === 0) return noVictims;
  const gone = new Set<PodInfo>(movable);
  for (const other of movable) filters.pretend(other, node, -1);
  const rejection = filters.refuse(node);
  let budgetViolations = 0;
  if (rejection === undefined) {
    const { violating, others } = splitByBudgets(situation, movable);
    for (const other of [...violating, ...others]) {
      filters.pretend(other, node, 1);
      if (filters.refuse(node) === undefined) gone.delete(other);
      else {
        filters.pretend(other, node, -1);
        if (violating.includes(other)) budgetViolations++;
      }
    }
  }
  for (const other of gone) filters.pretend(other, node, 1);
  return rejection ?? { node, victims: movable.filter((other) => gone.has(other)), budgetViolations };
}

/** Those whose eviction some budget does not allow, if they left in this order. */
function splitByBudgets({ cache }: Situation, pods: readonly PodInfo[]) {
  const budgets = Array.from(cache.budgets.values(), ({ metadata, spec, status }) => ({
    namespace: metadata?.namespace ?? "",
    selector: matcherOf(spec?.selector),
    disrupted: status?.disruptedPods ?? {},
    allowed: status?.disruptionsAllowed ?? 0,
  }));
  const violating: PodInfo[] = [];
  const others: PodInfo[] = [];
  for (const pod of pods) {
    let isViolating = false;
    for (const budget of budgets) {
      const { namespace, selector, disrupted } = budget;
      if (namespace !== pod.namespace || selector.isEmpty || !selector.matches(pod.labels)) continue;
      if (Object.keys(pod.labels).length === 0 || Object.hasOwn(disrupted, pod.pod.metadata?.name ?? "")) continue;
      budget.allowed--;
      if (budget.allowed < 0) isViolating = true;
    }
    (isViolating ? violating : others).push(pod);
  }
  return { violating, others };
}

/** Of equal priority, who has run longer. A pod that has not started yet is the youngest. */
function moreImportantFirst(a: PodInfo, b: PodInfo): number {
  return b.priority - a.priority || compareTexts(startOf(a), startOf(b));
}

function startOf({ pod }: PodInfo): string {
  return pod.status?.startTime ?? "9999";
}

function bestOf(candidates: readonly PreemptionCandidate[]): PreemptionCandidate | undefined {
  return candidates.reduce<PreemptionCandidate | undefined>(
    (best, candidate) => (best === undefined || compareCandidates(candidate, best) < 0 ? candidate : best),
    undefined,
  );
}

/** Fewer broken budgets, then less important victims, then fewer of them, then younger ones. */
function compareCandidates(a: PreemptionCandidate, b: PreemptionCandidate): number {
  return (
    a.budgetViolations - b.budgetViolations ||
    highestPriority(a) - highestPriority(b) ||
    importance(a) - importance(b) ||
    a.victims.length - b.victims.length ||
    compareTexts(earliestStart(b), earliestStart(a))
  );
}

function highestPriority({ victims }: PreemptionCandidate): number {
  return Math.max(...victims.map(({ priority }) => priority));
}

/** The sum of the priorities, from the lowest possible one up, so that every victim counts. */
function importance({ victims }: PreemptionCandidate): number {
  return victims.reduce((sum, { priority }) => sum + priority + 2 ** 31, 0);
}

/** Of the most important victims. */
function earliestStart(candidate: PreemptionCandidate): string {
  const highest = highestPriority(candidate);
  const starts = candidate.victims.filter(({ priority }) => priority === highest).map(startOf);
  return starts.sort()[0] ?? "";
}

function compareTexts(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
