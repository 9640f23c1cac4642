import { choosePlan, type Pace } from "../../core/scheduling/choose-plan.ts";
import { describeRefusal } from "../../core/scheduling/describe-refusal.ts";
import type { PlannedNode, ProvisioningPlan } from "../../core/scheduling/plan.ts";
import type { PlanRequest } from "../../core/scheduling/plan-request.ts";
import type { Refusal } from "../../core/scheduling/refusal.ts";
import type { NodeToLaunch, PlanAnswer } from "../../ports/planner.ts";

/** The chosen plan in a form that can cross threads. */
export function answerPlan(request: PlanRequest, pace: Pace): PlanAnswer {
  return portable(choosePlan(request, pace));
}

function portable({ nodes, placements, refusals, costPerHour, boundPerHour }: ProvisioningPlan): PlanAnswer {
  return {
    nodes: nodes.map(portableNode),
    placements: placements.map(({ node, pods }) => ({ nodeName: node.name, podUids: pods.map(({ uid }) => uid) })),
    refusals: refusals.map(({ pod, refusal }) => ({
      podUid: pod.uid,
      reason: describeRefusal(refusal),
      isDeferred: refusal.kind === "reservation-taken",
      isInvalid: isInvalid(refusal),
    })),
    costPerHour,
    boundPerHour: boundPerHour(),
  };
}

export function portableNode({ pool, pods, reservationId: _, ...node }: PlannedNode): NodeToLaunch {
  return { ...node, poolName: pool.name, podUids: pods.map(({ uid }) => uid) };
}

function isInvalid({ kind }: Refusal): boolean {
  return kind === "volume" || kind === "device-claims" || kind === "restricted-label";
}
