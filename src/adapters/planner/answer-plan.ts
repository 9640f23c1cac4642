import { wellKnownLabels } from "../../core/model/labels.ts";
import { describeRefusal } from "../../core/scheduling/describe-refusal.ts";
import type { PlannedNode, ProvisioningPlan } from "../../core/scheduling/plan.ts";
import { planProvisioning } from "../../core/scheduling/provisioning.ts";
import type { Refusal } from "../../core/scheduling/refusal.ts";
import type { PlanSettings } from "../../core/scheduling/settings.ts";
import type { NodeToLaunch, PlanAnswer, PlanRequest } from "../../ports/planner.ts";

export interface Effort {
  /** How many times a plan may be made anew in search of a cheaper one. */
  readonly maxRounds: number;
  readonly shouldStop: () => boolean;
}

/** What a node costs besides its price, in dollars an hour, when few nodes are looked for. */
export const pricePerNode = 0.02;
/** A plan with fewer nodes may cost so much more. */
const tolerance = 1.005;
/** And so much more for every node that it spares, in dollars an hour: what a volume of 20 GiB to start from costs. */
const volumePrice = 0.0025;

/**
 * Makes the plan and says it in a form that can cross threads. Many plans cost nearly the same, and every node is one
 * more to launch, to run daemons on and to look after: of the cheapest plan and one that spares nodes, the latter is
 * taken unless it costs more.
 */
export function answerPlan(request: PlanRequest, effort: (part: number) => Effort): PlanAnswer {
  const cheap = makePlan(request, 0, effort(1 / 2));
  // Where one plan takes several times as long as both may, nobody waits for another.
  if (cheap.nodes.length <= 1 || effort(3).shouldStop()) return portable(cheap);
  const sparing = makePlan(request, pricePerNode, effort(1));
  const isBetter =
    sparing.nodes.length < cheap.nodes.length &&
    sparing.refusals.length <= cheap.refusals.length &&
    sparing.costPerHour <= cheap.costPerHour * tolerance + volumePrice * (cheap.nodes.length - sparing.nodes.length);
  return portable(isBetter ? { ...sparing, boundPerHour: cheap.boundPerHour } : cheap);
}

function makePlan(request: PlanRequest, price: number, effort: Effort): ProvisioningPlan {
  const settings = settingsOf(request, { ...effort, pricePerNode: price, reservedCapacity: "Strict" });
  return planProvisioning(request.snapshot, request.pendingPods, settings);
}

export function settingsOf(
  request: PlanRequest,
  choices: Pick<PlanSettings, "reservedCapacity" | "pricePerNode" | "maxRounds" | "shouldStop">,
): PlanSettings {
  return {
    ...choices,
    preferencePolicy: request.preferencePolicy,
    minValuesPolicy: request.minValuesPolicy,
    wellKnownLabels: new Set([...wellKnownLabels, ...request.wellKnownLabels]),
    defaultSpread: request.defaultSpread,
    requestsFor: undefined,
  };
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
    boundPerHour,
  };
}

export function portableNode({ pool, pods, reservationId: _, ...node }: PlannedNode): NodeToLaunch {
  return { ...node, poolName: pool.name, podUids: pods.map(({ uid }) => uid) };
}

function isInvalid({ kind }: Refusal): boolean {
  return kind === "volume" || kind === "device-claims" || kind === "restricted-label";
}
