import { wellKnownLabels } from "../../core/model/labels.ts";
import { describeRefusal } from "../../core/scheduling/describe-refusal.ts";
import type { ProvisioningPlan } from "../../core/scheduling/plan.ts";
import { planProvisioning } from "../../core/scheduling/provisioning.ts";
import type { Refusal } from "../../core/scheduling/refusal.ts";
import type { PlanAnswer, PlanRequest } from "../../ports/planner.ts";

export interface Effort {
  /** How many times a plan may be made anew in search of a cheaper one. */
  readonly maxRounds: number;
  readonly shouldStop: () => boolean;
}

/** Makes the plan and says it in a form that can cross threads. */
export function answerPlan(request: PlanRequest, { maxRounds, shouldStop }: Effort): PlanAnswer {
  const plan = planProvisioning(request.snapshot, request.pendingPods, {
    preferencePolicy: request.preferencePolicy,
    minValuesPolicy: request.minValuesPolicy,
    reservedCapacity: "Strict",
    pricePerNode: 0,
    wellKnownLabels: new Set([...wellKnownLabels, ...request.wellKnownLabels]),
    defaultSpread: request.defaultSpread,
    maxRounds,
    shouldStop,
    requestsFor: undefined,
  });
  return portable(plan);
}

function portable({ nodes, placements, refusals, costPerHour, boundPerHour }: ProvisioningPlan): PlanAnswer {
  return {
    nodes: nodes.map(({ pool, pods, reservationId: _, ...node }) => ({
      ...node,
      poolName: pool.name,
      podUids: pods.map(({ uid }) => uid),
    })),
    placements: placements.map(({ node, pods }) => ({ nodeName: node.name, podUids: pods.map(({ uid }) => uid) })),
    refusals: refusals.map(({ pod, refusal }) => ({
      podUid: pod.uid,
      reason: describeRefusal(refusal),
      isDeferred: refusal.kind === "reservation-taken",
      isInvalid: isInvalid(refusal),
    })),
    costPerHour,
    boundPerHour,
  };
}

function isInvalid({ kind }: Refusal): boolean {
  return kind === "volume" || kind === "device-claims" || kind === "restricted-label";
}
