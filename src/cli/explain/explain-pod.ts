import { ec2NodeClasses } from "../../core/api/karpenter-resources.ts";
import type { ClusterState } from "../../core/cluster/cluster-state.ts";
import { takeSnapshot } from "../../core/cluster/take-snapshot.ts";
import { forkWithout } from "../../core/disruption/fork-snapshot.ts";
import { mustStay } from "../../core/model/disruption-budget.ts";
import type { NodePool } from "../../core/model/node-pool.ts";
import type { NodePoolObject } from "../../core/model/node-pool-object.ts";
import type { Pod } from "../../core/model/pod.ts";
import { isDaemonPod, isFinished, isMirrorPod } from "../../core/model/pod-lifecycle.ts";
import type { Snapshot } from "../../core/model/snapshot.ts";
import { untoleratedTaint } from "../../core/model/taints.ts";
import { describeRefusal } from "../../core/scheduling/describe-refusal.ts";
import { feasibleNodes } from "../../core/scheduling/feasible-nodes.ts";
import type { PlannedNode } from "../../core/scheduling/plan.ts";
import { planProvisioning } from "../../core/scheduling/provisioning.ts";
import type { Section } from "../ask/sections.ts";
import { claimOf, stateOf } from "../nodes/look-at-cluster.ts";
import { describeAge, describePrice } from "../terminal/describe.ts";
import { describeAsk, describeHold } from "./describe-pod.ts";
import { type PlanContext, planRequest, planSettings } from "./plan-settings.ts";
import { describeObstacles, whyNotNode } from "./why-not-node.ts";

export interface Question extends PlanContext {
  readonly cluster: ClusterState;
  readonly now: number;
}

/** Why the pod waits, or where it is or will go. */
export function explainPod(pod: Pod, question: Question): readonly Section[] {
  const asks: Section = { title: "WHAT IT ASKS FOR", lines: describeAsk(pod) };
  if (isFinished(pod)) return [answer([`It has ended (${pod.phase}) and needs no node.`]), asks];
  if (pod.nodeName !== "") return [...explainPlaced(pod, question), asks];
  const reason = whyNobodyPlans(pod);
  if (reason !== undefined) return [answer([reason]), asks];
  return explainWaiting(pod, question, asks);
}

function answer(lines: readonly string[]): Section {
  return { title: "ANSWER", lines };
}

function whyNobodyPlans(pod: Pod): string | undefined {
  if (pod.isDeleting) return "It is being deleted, so nobody looks for a node.";
  if (pod.isGated) return "A scheduling gate holds it back; nobody looks for a node until the gate is removed.";
  if (isDaemonPod(pod)) return "Its DaemonSet made it for a certain node, and Karpenter buys none for it.";
  return isMirrorPod(pod) ? "It belongs to a node, and Karpenter buys none for it." : undefined;
}

function explainPlaced(pod: Pod, question: Question): readonly Section[] {
  const { cluster, now } = question;
  const node = cluster.nodes.get(pod.nodeName);
  if (node === undefined) return [answer([`It is bound to ${pod.nodeName}, which is not there any more.`])];
  const state = stateOf(claimOf(cluster, node), node);
  const since = pod.scheduledAt === undefined ? "" : ` since ${describeAge(now - pod.scheduledAt)}`;
  const { snapshot, budgets } = snapshotOf(question);
  const without = withoutPod(snapshot, pod);
  const names = feasibleNodes(without, pod, planSettings(planRequest(without, question)));
  const others = names.filter((name) => name !== pod.nodeName);
  const hold = describeHold(pod, budgets, now);
  return [
    answer([
      `It is on ${pod.nodeName}${since}, which is ${state} (karpenter explain node ${pod.nodeName}).`,
      names.includes(pod.nodeName)
        ? "The node meets everything that it asks for."
        : "As things are now, the node would not be chosen again: labels, taints or other pods have changed.",
      others.length === 0
        ? "No other node would take it now."
        : `${others.length} other nodes would take it too, such as ${others.slice(0, 3).join(", ")}.`,
      hold === "" ? "Nothing keeps it from being moved." : `It may not be moved: ${hold}.`,
    ]),
  ];
}

function explainWaiting(pod: Pod, question: Question, asks: Section): readonly Section[] {
  const { snapshot, pendingPods, unknown } = snapshotOf(question);
  const promised = [...snapshot.podsByNode].find(([, pods]) => pods.some(({ uid }) => uid === pod.uid))?.[0];
  const free = withoutPod(snapshot, pod);
  const { nodes } = free;
  const obstacles = new Map(
    nodes.map((node) => [node.name, whyNotNode(pod, node, free.podsByNode.get(node.name) ?? [])]),
  );
  const takers = feasibleNodes(free, pod, planSettings(planRequest(free, question)));
  for (const name of takers) obstacles.delete(name);
  const tried: Section = {
    title: `NODES TRIED (${nodes.length})`,
    lines: [
      ...(takers.length === 0 ? [] : [`${takers.slice(0, 5).join(", ")} would take it`]),
      ...describeObstacles(obstacles),
    ],
  };
  const pools: Section = {
    title: `POOLS TRIED (${snapshot.nodePools.length + unknown.length})`,
    lines: aligned([
      ...snapshot.nodePools.map((pool) => [pool.name, explainPool(pod, pool, { snapshot: free, question })] as const),
      ...unknown.map((pool) => [pool.name, explainUnknown(pod, pool)] as const),
    ]),
  };
  const lines =
    promised === undefined
      ? explainPlan(pod, { snapshot: free, pendingPods, question, isAllKnown: unknown.every(isBroken) })
      : [`A place is kept for it on ${promised}${stateOfPromise(promised, question.cluster)}.`];
  return [answer([...lines, ...question.catalogue.notes]), pools, tried, asks];
}

interface Planning {
  readonly snapshot: Snapshot;
  readonly pendingPods: readonly Pod[];
  readonly question: Question;
  readonly isAllKnown: boolean;
}

/** What the planner makes of it, together with all others that wait. */
function explainPlan(pod: Pod, { snapshot, pendingPods, question, isAllKnown }: Planning): readonly string[] {
  const rest = pendingPods.filter(({ uid }) => uid !== pod.uid);
  const isPod = ({ uid }: Pod): boolean => uid === pod.uid;
  const unjudged =
    pod.scheduledReason === "Unschedulable"
      ? []
      : ["kube-scheduler has not given up on it; Karpenter looks at it only then. Were it to look now:"];
  const settings = planSettings(planRequest(snapshot, question));
  const plan = planProvisioning(snapshot, [...rest, pod], settings);
  const placement = plan.placements.find(({ pods }) => pods.some(isPod));
  if (placement !== undefined) return [...unjudged, `There is room for it on ${placement.node.name}.`];
  const node = plan.nodes.find(({ pods }) => pods.some(isPod));
  if (node !== undefined) {
    const others = node.pods.length - 1;
    const company =
      others === 0 ? "for it alone" : `for it and ${others === 1 ? "another pod" : `${others} other pods`} that wait`;
    const alternatives = node.instanceTypes.length - 1;
    const flexible =
      alternatives === 0 ? "Nothing else would do." : `${alternatives} other instance types would do as well.`;
    return [...unjudged, `It gets a new node: ${describeMachine(node, question)}, ${company}. ${flexible}`];
  }
  const refusal = plan.refusals.find((one) => isPod(one.pod))?.refusal;
  if (refusal === undefined) return [...unjudged, "The planner has nothing to say of it."];
  if (refusal.kind !== "no-fit" && refusal.kind !== "no-pools") return [`It waits. ${describeRefusal(refusal)}`];
  if (!isAllKnown) {
    return [
      ...unjudged,
      "Whether it gets a node cannot be told from here: what some pools could buy is not known, see below.",
    ];
  }
  const why = refusal.kind === "no-pools" ? describeRefusal(refusal) : "No pool can serve it, and no node has room.";
  return [...unjudged, `It waits. ${why}`];
}

function explainPool(
  pod: Pod,
  pool: NodePool,
  { snapshot, question }: { readonly snapshot: Snapshot; readonly question: Question },
): string {
  // Nodes that are there stay for what is counted on them, but have no room.
  const fork = forkWithout({ ...snapshot, nodePools: [pool] }, [], { gone: new Set(), destinations: new Set() });
  const plan = planProvisioning(fork.snapshot, [pod], planSettings(planRequest(fork.snapshot, question)));
  const [node] = plan.nodes;
  if (node !== undefined) return `would launch ${describeMachine(node, question)}`;
  const refusal = plan.refusals[0]?.refusal;
  const words = refusal === undefined ? "has no answer" : describeRefusal(refusal);
  return words.replace(`Pool "${pool.name}" `, "");
}

/** Whatever machines there are, it could buy none. */
function isBroken({ pool, nodeClassRef }: NodePoolObject): boolean {
  return pool === undefined || nodeClassRef.group === ec2NodeClasses.group;
}

/** What can be told without knowing any machine. */
function explainUnknown(pod: Pod, { pool, problems, nodeClassRef }: NodePoolObject): string {
  if (pool === undefined) return `cannot be used: ${problems.join(" ")}`;
  if (pool.unusableBecause !== undefined) return `cannot be used: ${pool.unusableBecause}`;
  if (pool.replicas !== undefined) return "keeps a fixed number of nodes and adds none for pending pods";
  const taint = untoleratedTaint(pod.spec.tolerations, pool.taints);
  if (taint !== undefined) return `has the taint ${taint.key}:${taint.effect}, which the pod does not tolerate`;
  const { group, kind, name } = nodeClassRef;
  return group === ec2NodeClasses.group
    ? `refers to ${kind} "${name}", which is not there or cannot be read`
    : `not known: what its ${kind} can launch, only the cloud can tell (--instance-types tries a list)`;
}

function aligned(rows: readonly (readonly [name: string, text: string])[]): readonly string[] {
  const width = Math.max(0, ...rows.map(([name]) => name.length));
  return rows.map(([name, text]) => `${name.padEnd(width)}  ${text}`);
}

function describeMachine(
  { pool, instanceType, zone, capacityType, price }: PlannedNode,
  { catalogue }: PlanContext,
): string {
  const about = catalogue.isRough(pool.nodeClassRef) ? "about " : "";
  // The built-in prices of China are in yuan, and so are those of a controller there.
  const cost = zone.startsWith("cn-") ? "paid for in yuan" : `${about}${describePrice(price)}/h`;
  return `${instanceType} in ${zone}, ${capacityType}, ${cost}, of pool ${pool.name}`;
}

function stateOfPromise(name: string, cluster: ClusterState): string {
  const node = cluster.nodes.get(name);
  const claim = node === undefined ? cluster.claims.get(name) : claimOf(cluster, node);
  return node === undefined && claim === undefined ? "" : `, which is ${stateOf(claim, node)}`;
}

function snapshotOf({ cluster, catalogue, now }: Question) {
  const budgets = [...cluster.disruptionBudgets.values()];
  const unknown: NodePoolObject[] = [];
  const taken = takeSnapshot(cluster, {
    instanceTypesOf: (pool) => {
      const types = catalogue.of(pool.nodeClassRef);
      if (types === undefined) unknown.push(pool);
      return types ?? [];
    },
    mustStay: (pod) => mustStay(pod, budgets, now),
  });
  const names = new Set(unknown.map(({ name }) => name));
  const nodePools = taken.snapshot.nodePools.filter(({ name }) => !names.has(name));
  const broken = [...cluster.pools.values()].filter(({ pool }) => pool === undefined);
  const { pendingPods } = taken;
  return { snapshot: { ...taken.snapshot, nodePools }, pendingPods, budgets, unknown: [...unknown, ...broken] };
}

/** As if it were not there: neither where it runs nor where a place is kept for it. */
function withoutPod(snapshot: Snapshot, pod: Pod): Snapshot {
  const podsByNode = new Map(snapshot.podsByNode);
  for (const [name, pods] of podsByNode) {
    if (pods.some(({ uid }) => uid === pod.uid)) {
      podsByNode.set(
        name,
        pods.filter(({ uid }) => uid !== pod.uid),
      );
    }
  }
  return { ...snapshot, podsByNode };
}
