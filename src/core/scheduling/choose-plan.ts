import { wellKnownLabels } from "../model/labels.ts";
import type { ProvisioningPlan } from "./plan.ts";
import type { PlanningRequest, PlanRequest } from "./plan-request.ts";
import { planProvisioning } from "./provisioning.ts";
import { type HeldPlan, holdPlan } from "./scheduler-model/hold-plan.ts";
import type { PlanSettings } from "./settings.ts";

interface Effort {
  /** How many times a plan may be made anew in search of a cheaper one. */
  readonly maxRounds: number;
  readonly shouldStop: () => boolean;
}

export interface Pace {
  /** For one of several plans: its share of the time that there is to improve them, from now on. */
  effort(share: number): Effort;
  /** Plans take so much longer than that time that nobody waits for another one. */
  isLate(): boolean;
}

type Choices = Pick<PlanSettings, "pricePerNode" | "headroom" | "hints">;

/** What a node costs besides its price, in dollars an hour, when few nodes are looked for. */
const pricePerNode = 0.05;
/** A plan with fewer nodes may cost so much more. */
const tolerance = 1.005;
/** And so much more for every node that it spares, in dollars an hour: what a volume of 20 GiB to start from costs. */
const volumePrice = 0.0025;
/** Plans that are tried where kube-scheduler would not get on with the cheapest: roomier ones, and one of larger nodes. */
const roomier: readonly Omit<Choices, "hints">[] = [
  { pricePerNode, headroom: 0.05 },
  { pricePerNode, headroom: 0.1 },
  { pricePerNode: 4 * pricePerNode, headroom: 0.05 },
];

/**
 * The cheapest plan, or one that spares nodes where that costs next to nothing more: every node is one more to launch, to
 * run daemons on and to look after. Where kube-scheduler places the pods, plans are compared by what it makes of them.
 */
export function choosePlan(request: PlanRequest, pace: Pace): ProvisioningPlan {
  const { hints, placement, snapshot } = request;
  const make = (choices: Choices, share: number): ProvisioningPlan =>
    planProvisioning(snapshot, request.pendingPods, planSettings(request, choices, pace.effort(share)));
  const sparing = make({ pricePerNode, hints }, 1 / 2);
  const isOnePod = sparing.nodes.reduce((sum, { pods }) => sum + pods.length, 0) <= 1;
  // One pod takes one node.
  if (isOnePod || pace.isLate()) return sparing;
  const tight = sparingOf(sparing, make({ pricePerNode: 0, hints }, 1 / 4));
  if (placement === "Bind" || pace.isLate()) return tight;
  const hold = (plan: ProvisioningPlan): HeldPlan =>
    holdPlan(plan, snapshot, planSettings(request, { pricePerNode, hints }, pace.effort(1 / 16)));
  let best = hold(tight);
  if (best.plan === tight) return tight;
  for (const choices of roomier) {
    if (pace.isLate()) break;
    const next = hold(make({ ...choices, hints }, 1 / 8));
    if (worth(next) < worth(best)) best = next;
  }
  return { ...best.plan, boundPerHour: tight.boundPerHour };
}

/** Pods that wait for a second wave of machines are worth their share of the price. */
function worth({ plan, secondWave }: HeldPlan): number {
  return plan.costPerHour * (1 + secondWave);
}

function sparingOf(sparing: ProvisioningPlan, cheap: ProvisioningPlan): ProvisioningPlan {
  const spared = cheap.nodes.length - sparing.nodes.length;
  const most = cheap.costPerHour * (spared > 0 ? tolerance : 1) + volumePrice * spared;
  const isBetter = sparing.refusals.length <= cheap.refusals.length && sparing.costPerHour <= most;
  return isBetter ? { ...sparing, boundPerHour: cheap.boundPerHour } : cheap;
}

function planSettings(request: PlanRequest, choices: Choices, effort: Effort): PlanSettings {
  return settingsOf(request, { ...effort, ...choices, reservedCapacity: "Strict" });
}

export function settingsOf(
  request: PlanningRequest,
  choices: Pick<PlanSettings, "reservedCapacity" | "pricePerNode" | "headroom" | "hints" | "maxRounds" | "shouldStop">,
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
