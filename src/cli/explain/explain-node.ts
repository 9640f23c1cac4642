import { Allowances } from "../../controllers/disruptor/allowances.ts";
import { Measures } from "../../controllers/disruptor/measures.ts";
import { takeSnapshot } from "../../core/cluster/take-snapshot.ts";
import type { Candidate } from "../../core/disruption/candidate.ts";
import { findDestinations, judgeConsolidation } from "../../core/disruption/consolidation.ts";
import { isFreshReplacement, restsUntil } from "../../core/disruption/cool-down.ts";
import { describeBlocker } from "../../core/disruption/describe-blocker.ts";
import { isEmpty } from "../../core/disruption/emptiness.ts";
import { type DisruptionMode, type DisruptionView, judgeCandidate } from "../../core/disruption/judge-candidate.ts";
import { countPool, describeBudget, nodesAllowed } from "../../core/disruption/node-budgets.ts";
import { findCondition, isConditionTrue } from "../../core/model/condition.ts";
import { mustStay } from "../../core/model/disruption-budget.ts";
import { nodePoolLabel } from "../../core/model/labels.ts";
import type { NodeClaim } from "../../core/model/node-claim.ts";
import type { NodeObject } from "../../core/model/node-object.ts";
import type { NodePoolObject } from "../../core/model/node-pool-object.ts";
import { nodePrice } from "../../core/model/node-price.ts";
import { isFinished } from "../../core/model/pod-lifecycle.ts";
import type { DisruptionReason } from "../../core/model/pool-disruption.ts";
import { formatAmount } from "../../core/model/quantity.ts";
import type { Planner } from "../../ports/planner.ts";
import type { Section } from "../ask/sections.ts";
import { hoursPerMonth } from "../nodes/fleet.ts";
import { lookAtNodes, type NodeLook, type PriceFinder } from "../nodes/look-at-cluster.ts";
import { formatTable } from "../table.ts";
import { describeAge, describePrice, shareOf } from "../terminal/describe.ts";
import { describeHold } from "./describe-pod.ts";
import { type DuePods, describeDuePods, planDuePods } from "./due-pods.ts";
import type { Question } from "./explain-pod.ts";
import { planRequest } from "./plan-settings.ts";

export interface NodeQuestion extends Question {
  readonly findPrice: PriceFinder;
  readonly planner: Planner;
}

/** What runs on a machine, what it costs, and whether it may go and why. */
export async function explainNode(
  { node, claim }: { readonly node: NodeObject | undefined; readonly claim: NodeClaim | undefined },
  question: NodeQuestion,
): Promise<readonly Section[]> {
  const { cluster, now, findPrice } = question;
  const name = claim?.name ?? node?.name ?? "";
  const look = lookAtNodes(cluster, now, findPrice).find((one) => one.name === name);
  const view = viewOf(question);
  const due = planDuePods(node?.name ?? name, question, view);
  const verdicts =
    claim === undefined
      ? ["no: it was not launched by Karpenter (it has no NodeClaim), so Karpenter leaves it alone"]
      : await judge(claim, { view, question, due });
  return [
    { title: "WHAT IT IS", lines: look === undefined ? [] : describeMachine(look, claim, now) },
    { title: "MAY IT GO?", lines: verdicts },
    { title: "BUDGETS OF ITS POOL", lines: describeBudgets(claim, question) },
    { title: "CONDITIONS OF ITS CLAIM", lines: describeConditions(claim, now) },
    { title: `PODS (${look?.pods ?? 0})`, lines: node === undefined ? [] : describePods(node, question) },
    describeDuePods(due, cluster),
  ];
}

function describeMachine(look: NodeLook, claim: NodeClaim | undefined, now: number): readonly string[] {
  const { name, nodeName, pool, instanceType, zone, capacityType, price, state, ageMilliseconds } = look;
  const share = (resource: string): string => {
    const percent = Math.round(100 * shareOf(resource, look.requested, look.allocatable));
    const [asked, all] = [look.requested, look.allocatable].map((one) =>
      formatAmount(resource, one.get(resource) ?? 0),
    );
    return `${resource} ${asked} of ${all} (${percent}%)`;
  };
  const cost =
    price === undefined ? "unknown" : `${describePrice(price)}/h, $${(price * hoursPerMonth).toFixed(0)}/month`;
  const expiry = claim?.expireAfter === undefined ? undefined : claim.createdAt + claim.expireAfter - now;
  return [
    `node      ${nodeName || "not there yet"}${claim === undefined ? "" : `, of NodeClaim ${name}`}`,
    `state     ${state}, ${describeAge(ageMilliseconds)} old`,
    `pool      ${pool || "none"}`,
    `machine   ${[instanceType, zone, capacityType].filter((text) => text !== "").join(", ") || "unknown"}`,
    `costs     ${cost}`,
    `requested ${share("cpu")}, ${share("memory")}`,
    ...(expiry === undefined ? [] : [`expires   ${expiry <= 0 ? "now" : `in ${describeAge(expiry)}`}`]),
  ];
}

function viewOf({ cluster, catalogue, now }: NodeQuestion): DisruptionView {
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

async function judge(claim: NodeClaim, { view, question, due }: Judgement): Promise<readonly string[]> {
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

const reasons: readonly DisruptionReason[] = ["Empty", "Drifted", "Underutilized"];

function describeBudgets(claim: NodeClaim | undefined, { cluster, now }: NodeQuestion): readonly string[] {
  const pool: NodePoolObject | undefined = cluster.pools.get(claim?.labels.get(nodePoolLabel) ?? "");
  if (pool === undefined) return [];
  const count = countPool(cluster, pool.name);
  return reasons.map((reason) => {
    const { allowed, usable, because } = nodesAllowed(pool, reason, { ...count, now });
    if (because === undefined) return `${reason.padEnd(13)}  no budget bounds it`;
    return `${reason.padEnd(13)}  ${usable} more may go: ${describeBudget(because)} lets ${allowed} of ${count.nodes} go at once, and ${count.disrupting} are going or not ready`;
  });
}

function describeConditions(claim: NodeClaim | undefined, now: number): readonly string[] {
  const rows = (claim?.conditions ?? []).map(({ type, status, reason, message, lastTransitionTime }) => [
    type,
    status,
    describeAge(now - lastTransitionTime),
    [reason === type ? "" : reason, message].filter((text) => text !== "").join(": "),
  ]);
  return rows.length === 0 ? [] : tableLines(rows, new Set([2]));
}

function describePods(node: NodeObject, { cluster, now }: NodeQuestion): readonly string[] {
  const budgets = [...cluster.disruptionBudgets.values()];
  const pods = cluster.podsOnNode(node.name).filter((pod) => !isFinished(pod));
  const rows = pods.map((pod) => [
    `${pod.namespace}/${pod.name}`,
    formatAmount("cpu", pod.spec.requests.get("cpu") ?? 0),
    formatAmount("memory", pod.spec.requests.get("memory") ?? 0),
    pod.owners.find(({ isController }) => isController)?.kind ?? "no owner",
    [pod.isDeleting ? "ending" : "", describeHold(pod, budgets, now)].filter((text) => text !== "").join(", "),
  ]);
  return rows.length === 0 ? [] : tableLines([["pod", "cpu", "memory", "owner", ""], ...rows], new Set([1, 2]));
}

function tableLines(rows: readonly (readonly string[])[], rightAligned: ReadonlySet<number>): readonly string[] {
  return formatTable(rows, rightAligned).trimEnd().split("\n");
}
