import { countPool, describeBudget, nodesAllowed } from "../../core/disruption/node-budgets.ts";
import { nodePoolLabel } from "../../core/model/labels.ts";
import type { NodeClaim } from "../../core/model/node-claim.ts";
import type { NodeObject } from "../../core/model/node-object.ts";
import type { NodePoolObject } from "../../core/model/node-pool-object.ts";
import { isFinished } from "../../core/model/pod-lifecycle.ts";
import type { DisruptionReason } from "../../core/model/pool-disruption.ts";
import { formatAmount } from "../../core/model/quantity.ts";
import { controllerOf } from "../../core/model/workload.ts";
import type { Section } from "../ask/sections.ts";
import { hoursPerMonth } from "../nodes/fleet.ts";
import { lookAtNodes, type NodeLook } from "../nodes/look-at-cluster.ts";
import { formatTable } from "../table.ts";
import { describeAge, describePrice, shareOf } from "../terminal/describe.ts";
import { describeHold } from "./describe-pod.ts";
import { describeDuePods, planDuePods } from "./due-pods.ts";
import { judgeNode, type NodeQuestion, viewOf } from "./judge-node.ts";

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
      : await judgeNode(claim, { view, question, due });
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
    controllerOf(pod)?.kind ?? "no owner",
    [pod.isDeleting ? "ending" : "", describeHold(pod, budgets, now)].filter((text) => text !== "").join(", "),
  ]);
  return rows.length === 0 ? [] : tableLines([["pod", "cpu", "memory", "owner", ""], ...rows], new Set([1, 2]));
}

function tableLines(rows: readonly (readonly string[])[], rightAligned: ReadonlySet<number>): readonly string[] {
  return formatTable(rows, rightAligned).trimEnd().split("\n");
}
