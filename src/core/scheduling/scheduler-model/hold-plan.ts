import type { Pod } from "../../model/pod.ts";
import type { Snapshot } from "../../model/snapshot.ts";
import type { ProvisioningPlan } from "../plan.ts";
import type { PlanRequest } from "../plan-request.ts";
import { planProvisioning } from "../provisioning.ts";
import type { PlanSettings } from "../settings.ts";
import { launchedName, launchedNode } from "./launched-node.ts";
import { settlePods, withPods } from "./settle-pods.ts";
import { type Outcome, Stage, withOutcome } from "./stage.ts";

export interface HeldPlan {
  /** With the nodes for what kube-scheduler leaves over. */
  readonly plan: ProvisioningPlan;
  /** The share of its pods that are left over all the same, on average. */
  readonly secondWave: number;
}

/** What the plan is for. */
export type Batch = Pick<PlanRequest, "snapshot" | "pendingPods">;

/** Nodes are bought for what is left over in the order with the second most. */
const rank = 1;
/** Of its pods, so large a share may be left over of a plan that is bought. */
export const toleratedShare = 0.01;
const mostTimes = 3;

/** The share of its pods that kube-scheduler leaves over of the plan, on average over a few orders. */
export function leftOverShare(plan: ProvisioningPlan, batch: Batch, settings: PlanSettings): number {
  return playPlan(plan, batch, settings).share;
}

/** Plays a plan as kube-scheduler would carry it out, and plans for what is left over, until hardly anything is. */
export function holdPlan(plan: ProvisioningPlan, batch: Batch, settings: PlanSettings): HeldPlan {
  let held = plan;
  let before: HeldPlan | undefined;
  for (let times = 0; ; times++) {
    const { played, share: secondWave, withNodes } = playPlan(held, batch, settings);
    // More nodes that help nobody are not bought.
    if (before !== undefined && secondWave >= before.secondWave) return before;
    before = { plan: held, secondWave };
    const one = played.toSorted((a, b) => b.leftOver.length - a.leftOver.length)[rank]!;
    if (secondWave <= toleratedShare || times === mostTimes || one.leftOver.length === 0) return before;
    const more = planMore(held, one, withNodes, settings);
    if (more === undefined) return before;
    held = settlePods(more, batch.snapshot, settings);
  }
}

interface PlayedPlan {
  readonly played: readonly Outcome[];
  /** Of its pods that are left over, on average. */
  readonly share: number;
  /** The cluster with the nodes of the plan. */
  readonly withNodes: Snapshot;
}

function playPlan(plan: ProvisioningPlan, { snapshot, pendingPods }: Batch, settings: PlanSettings): PlayedPlan {
  const launched = plan.nodes.map((node, index) => launchedNode(node, launchedName(index)));
  const withNodes = { ...snapshot, nodes: [...snapshot.nodes, ...launched] };
  // By uid: with default spread, the pods of a plan are copies.
  const placed = new Set([...plan.placements, ...plan.nodes].flatMap((one) => one.pods.map(({ uid }) => uid)));
  const pods = pendingPods.filter(({ uid }) => placed.has(uid));
  const nodes = new Set([...launched, ...plan.placements.map(({ node }) => node)].map(({ name }) => name));
  const played = new Stage({ snapshot: withNodes, pods, nodes }, settings).playAll();
  const left = played.reduce((sum, { leftOver }) => sum + leftOver.length, 0);
  return { played, share: left / (played.length * Math.max(1, pods.length)), withNodes };
}

/** The plan with nodes for the pods that are left over. Undefined where none would take them. */
function planMore(
  plan: ProvisioningPlan,
  outcome: Outcome,
  snapshot: Snapshot,
  settings: PlanSettings,
): ProvisioningPlan | undefined {
  const more = planProvisioning(withOutcome(snapshot, outcome), outcome.leftOver, settings);
  // Reservations are counted within one plan only.
  if (more.nodes.length === 0 || more.nodes.some(({ reservationId }) => reservationId !== undefined)) return undefined;
  const moved = new Set(more.nodes.flatMap(({ pods }) => pods.map(({ uid }) => uid)));
  const stay = (pods: readonly Pod[]): readonly Pod[] => pods.filter(({ uid }) => !moved.has(uid));
  const own = refill(
    plan.nodes.map(({ pods }) => [...stay(pods)]),
    outcome,
  );
  return {
    ...plan,
    nodes: [...plan.nodes.map((node, index) => withPods(node, own[index]!)), ...more.nodes],
    placements: plan.placements.map(({ node, pods }) => ({ node, pods: stay(pods) })),
  };
}

/** A node whose own pods have all moved is meant for pods that took their place. Without any, it would be left out. */
function refill(podsByNode: readonly Pod[][], outcome: Outcome): readonly (readonly Pod[])[] {
  const homeOf = new Map(podsByNode.flatMap((pods) => pods.map(({ uid }) => [uid, pods] as const)));
  for (const [index, own] of podsByNode.entries()) {
    if (own.length > 0) continue;
    for (const { uid } of outcome.podsByNode.get(launchedName(index)) ?? []) {
      const home = homeOf.get(uid) ?? [];
      const at = home.findIndex((pod) => pod.uid === uid);
      if (at >= 0 && home.length > 1) own.push(...home.splice(at, 1));
    }
  }
  return podsByNode;
}
