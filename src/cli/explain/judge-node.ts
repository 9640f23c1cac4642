import { Allowances } from "../../controllers/disruptor/allowances.ts";
import { Measures } from "../../controllers/disruptor/measures.ts";
import { takeSnapshot } from "../../core/cluster/take-snapshot.ts";
import type { Candidate } from "../../core/disruption/candidate.ts";
import { findDestinations, judgeConsolidation } from "../../core/disruption/consolidation.ts";
import { isFreshReplacement, restsUntil } from "../../core/disruption/cool-down.ts";
import { describeBlocker } from "../../core/disruption/describe-blocker.ts";
import { isEmpty } from "../../core/disruption/emptiness.ts";
import { type DisruptionMode, type DisruptionView, judgeCandidate } from "../../core/disruption/judge-candidate.ts";
import { findCondition, isConditionTrue } from "../../core/model/condition.ts";
import { mustStay } from "../../core/model/disruption-budget.ts";
import type { NodeClaim } from "../../core/model/node-claim.ts";
import { nodePrice } from "../../core/model/node-price.ts";
import type { DisruptionReason } from "../../core/model/pool-disruption.ts";
import type { Planner } from "../../ports/planner.ts";
import type { PriceFinder } from "../nodes/look-at-cluster.ts";
import { describeAge, describePrice } from "../terminal/describe.ts";
import type { DuePods } from "./due-pods.ts";
import type { Question } from "./explain-pod.ts";
import { planRequest } from "./plan-settings.ts";

export interface NodeQuestion extends Question {
  readonly findPrice: PriceFinder;
  readonly planner: Planner;
}

/** What the disruptor would see. */
export function viewOf({ cluster, catalogue, now }: NodeQuestion): DisruptionView {
  return {
    cluster,
    instanceTypesOf: (poolName) => {
      const pool = cluster.pools.get(poolName);
      return pool === undefined ? [] : (catalogue.of(pool.nodeClassRef) ?? []);
    },
    budgets: [...cluster.disruptionBudgets.values()],
    now,
    isBusy: (claimName) => {
      const claim = cluster.claims.get(claimName);
      return claim !== undefined && isConditionTrue(claim, "DisruptionReason");
    },
  };
}

interface Judgement {
  readonly view: DisruptionView;
  readonly question: NodeQuestion;
  readonly due: DuePods;
}

/** Whether the node of a claim may go, and why. */
export async function judgeNode(claim: NodeClaim, { view, question, due }: Judgement): Promise<readonly string[]> {
  const { now } = question;
  const chosen = findCondition(claim, "DisruptionReason");
  if (chosen?.status === "True") return [`yes, it was chosen already: ${chosen.reason}. ${chosen.message}`.trim()];
  const drifted = findCondition(claim, "Drifted");
  const lines: string[] = [];
  if (drifted?.status === "True") lines.push(`Drifted: ${judgeDrift(claim, { view, due, because: drifted.reason })}`);
  const candidate = candidateOf(claim, view, "graceful");
  if (typeof candidate === "string") return [...lines, `no: ${candidate}`];
  const rests = restsUntil(claim, now);
  if (rests !== undefined)
    return [...lines, `not now: its last move failed, it is left alone for ${describeAge(rests - now)}`];
  const allowances = (reason: DisruptionReason): string | undefined => {
    const allowed = new Allowances(view, reason);
    return allowed.left(candidate.pool) > 0 ? undefined : allowed.because(candidate.pool);
  };
  if (isEmpty(candidate)) {
    const isSettled = isConditionTrue(claim, "Consolidatable");
    const obstacle =
      candidate.pool.replicas !== undefined
        ? `NodePool "${candidate.pool.name}" is static`
        : candidate.pool.disruption.consolidateAfter === undefined
          ? `NodePool "${candidate.pool.name}" has consolidation disabled`
          : isSettled
            ? allowances("Empty")
            : "pods came or went within consolidateAfter";
    const verdict =
      obstacle === undefined ? `${mayGo(due)}: it is empty` : `it is empty, but stays for now: ${obstacle}`;
    return [...lines, verdict];
  }
  return [
    ...lines,
    `Underutilized: ${await judgeWorth(candidate, { view, question, due, budget: allowances("Underutilized") })}`,
  ];
}

/** Only the controller knows whether it has planned pods for the node that would fit there. */
function mayGo({ pods }: DuePods): string {
  return pods.length === 0
    ? "yes"
    : "perhaps, unless the controller keeps it for pods that are on their way (see below)";
}

/** A candidate, or in words why it is none. */
function candidateOf(claim: NodeClaim, view: DisruptionView, mode: DisruptionMode): Candidate | string {
  const judged = judgeCandidate(claim, view, mode);
  if (!("kind" in judged)) return judged;
  if (judged.kind === "nominated") return "pods are on their way to it (see below)";
  if (judged.kind !== "no-instance-types") return describeBlocker(judged);
  return "cannot be told from here: what its pool could buy instead, only the cloud knows (--instance-types tries a list)";
}

function judgeDrift(
  claim: NodeClaim,
  { view, due, because }: Omit<Judgement, "question"> & { readonly because: string },
): string {
  const candidate = candidateOf(claim, view, "eventual");
  if (typeof candidate === "string") return `${because}, but it stays for now: ${candidate}`;
  const allowed = new Allowances(view, "Drifted");
  return allowed.left(candidate.pool) > 0
    ? `${mayGo(due)}, ${because}: it is replaced when its turn comes`
    : `${because}, but it stays for now: ${allowed.because(candidate.pool)}`;
}

interface Worth extends Judgement {
  /** Why none may go now. */
  readonly budget: string | undefined;
}

/** Asks the planner whether the fleet is cheaper without this one node; that of several together is not asked. */
async function judgeWorth(candidate: Candidate, { view, question, due, budget }: Worth): Promise<string> {
  const { cluster, planner, settings, now } = question;
  const { node, pool, claim, instanceType, capacityType, pods, disturbance } = candidate;
  const types = view.instanceTypesOf(pool.name);
  const reservation = judgeConsolidation(candidate, types);
  if (reservation !== undefined) return `no: ${reservation.because}`;
  if (isFreshReplacement(claim, now)) return "not now: it has replaced others less than ten minutes ago";
  if (budget !== undefined) return `not now: ${budget}`;
  const { snapshot } = takeSnapshot(cluster, {
    instanceTypesOf: ({ name }) => view.instanceTypesOf(name),
    mustStay: (pod) => mustStay(pod, view.budgets, now),
  });
  const answer = await planner.consolidate({
    ...planRequest(snapshot, question),
    candidates: [
      {
        nodeName: node.name,
        poolName: pool.name,
        instanceType,
        capacityType,
        price: nodePrice(node.labels, types),
        podUids: pods.map(({ uid }) => uid),
        disturbance,
        leastSaving: new Measures(view).leastSaving(pool),
        isReady: true,
      },
    ],
    destinations: findDestinations(view),
    laterDestinations: findDestinations({ ...view, now: Number.POSITIVE_INFINITY }),
    budgets: new Map([[pool.name, 1]]),
    isSpotToSpotEnabled: settings.isSpotToSpotEnabled,
    seed: 1,
  });
  const [move] = answer.moves;
  if (move === undefined) return `no, not by itself: ${answer.stays.get(node.name) ?? "nothing cheaper was found"}`;
  const replaced = move.launches.map(
    (one) => `${one.instanceType} (${one.capacityType}, ${describePrice(one.price)}/h)`,
  );
  const how = replaced.length === 0 ? "its pods fit on other nodes" : `${replaced.join(" and ")} would do instead`;
  return `${mayGo(due)}: ${how}, which saves ${describePrice(move.savings)}/h and moves ${pods.length === 1 ? "one pod" : `${pods.length} pods`}`;
}
