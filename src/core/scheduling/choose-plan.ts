import { wellKnownLabels } from "../model/labels.ts";
import type { Pod } from "../model/pod.ts";
import type { Snapshot } from "../model/snapshot.ts";
import type { ProvisioningPlan } from "./plan.ts";
import type { PlanningRequest, PlanRequest } from "./plan-request.ts";
import { planProvisioning } from "./provisioning.ts";
import { foresee } from "./scheduler-model/foresee.ts";
import { type HeldPlan, holdPlan, leftOverShare, toleratedShare } from "./scheduler-model/hold-plan.ts";
import { launchedNode } from "./scheduler-model/launched-node.ts";
import { overZones } from "./scheduler-model/over-zones.ts";
import { type Outcome, withOutcome } from "./scheduler-model/stage.ts";
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
/** Where kube-scheduler would leave pods over of the cheapest plan, others are tried, with so much of each node left free. */
const headrooms: readonly number[] = [0, 0.03, 0.06, 0.09, 0.12];
/** So small a share of the pods takes little of the room that is meant for the others. */
const fewNewcomers = 0.1;

/**
 * Where earlier plans have nodes on their way, the pods go to those first; nodes are bought for the others only. Where
 * kube-scheduler places the pods, it is asked first whom it would leave over: it puts pods elsewhere than planned, and the
 * room of the others is scattered then, but not gone.
 */
export function choosePlan(request: PlanRequest, pace: Pace): ProvisioningPlan {
  const { hints, pendingPods, placement, snapshot } = request;
  if (hints.size === 0) return chooseNew(request, noHints, pace);
  const settings = planSettings(request, { pricePerNode, hints }, pace.effort(1 / 2));
  const plan = planProvisioning(snapshot, pendingPods, settings);
  const fits = plan.nodes.length === 0;
  if (placement === "Bind") {
    if (fits) return plan;
    const anew = chooseNew(request, noHints, pace);
    return isBetter(anew, plan) ? anew : chooseNew(request, hints, pace);
  }
  const newcomers = pendingPods.filter(({ uid }) => !hints.has(uid));
  const areFew = newcomers.length < fewNewcomers * pendingPods.length;
  const isOpen = pendingPods.some(({ expectation }) => expectation !== undefined);
  // What kube-scheduler will leave over is asked when no more pods are expected, and before it begins to place them. Later,
  // every pass would foresee something else, and buy for it.
  if (isOpen || isPlacing(request)) {
    if (fits) return plan;
    if (!areFew) return chooseNew(request, hints, pace);
    const anew = planProvisioning(snapshot, pendingPods, planSettings(request, { pricePerNode }, pace.effort(1 / 2)));
    return withoutDisplaced(isBetter(anew, plan) ? anew : plan, request);
  }
  const foreseen = foresee(pendingPods, snapshot, settings);
  if (fits && foreseen.leftOver.length === 0) return plan;
  const rest = { ...request, snapshot: withOutcome(snapshot, foreseen), pendingPods: foreseen.leftOver };
  const foreseenPlan = withPlacements(chooseNew(rest, noHints, pace), keptPlaces(plan, foreseen), snapshot);
  // The model knows no limits: no pod goes without a node for it.
  if (foreseenPlan.refusals.length > plan.refusals.length) return plan;
  if (foreseenPlan.nodes.length <= 1 || areFew || pace.isLate()) return foreseenPlan;
  // Many new pods take the room of others on the nodes that are coming. With nodes of their own, they leave it to them.
  const apart = chooseNew(request, hints, pace);
  return isBetter(apart, foreseenPlan) ? apart : foreseenPlan;
}

/** Pods that are not left over stay where they are meant to go; those of them that lack a place have the foreseen one. */
function keptPlaces({ placements }: ProvisioningPlan, { podsByNode, leftOver }: Outcome): Pick<Outcome, "podsByNode"> {
  const planned = placements.map(({ node, pods }) => [node.name, pods] as const);
  // By uid: with default spread, the pods of a plan are copies.
  const places = new Map<string, { readonly pod: Pod; readonly name: string }>();
  for (const [name, pods] of [...podsByNode, ...planned]) for (const pod of pods) places.set(pod.uid, { pod, name });
  for (const { uid } of leftOver) places.delete(uid);
  const byNode = Map.groupBy(places.values(), ({ name }) => name);
  return { podsByNode: new Map(Array.from(byNode, ([name, there]) => [name, there.map(({ pod }) => pod)])) };
}

/** Whether a node is ready that pods were meant for. */
function isPlacing({ hints, snapshot }: PlanRequest): boolean {
  const meant = new Set(hints.values());
  return snapshot.nodes.some(({ name, isInitialized }) => isInitialized && meant.has(name));
}

/**
 * Nodes for expected pods that have lost their place to others are bought when these exist, or when it is known what is
 * left over: one by one they would cost much more. Until then the pods stay where they were meant to go.
 */
function withoutDisplaced(plan: ProvisioningPlan, { hints, snapshot }: PlanRequest): ProvisioningPlan {
  const isDisplaced = ({ uid, expectation }: Pod): boolean => expectation !== undefined && hints.has(uid);
  const { true: spared = [], false: nodes = [] } = Object.groupBy(
    plan.nodes,
    ({ pods }) => `${pods.every(isDisplaced)}`,
  );
  const podsByNode = Map.groupBy(
    spared.flatMap(({ pods }) => pods),
    ({ uid }) => hints.get(uid)!,
  );
  const costPerHour = nodes.reduce((sum, { price }) => sum + price, 0);
  // The bound of the plan is for all of its nodes.
  const boundPerHour = (): number => (spared.length > 0 ? 0 : plan.boundPerHour());
  return withPlacements({ ...plan, nodes, costPerHour, boundPerHour }, { podsByNode }, snapshot);
}

/** Costs less, and gives as many pods a place. */
function isBetter(one: ProvisioningPlan, other: ProvisioningPlan): boolean {
  return one.refusals.length <= other.refusals.length && one.costPerHour < other.costPerHour;
}

const noHints: PlanRequest["hints"] = new Map();

function withPlacements(
  plan: ProvisioningPlan,
  { podsByNode }: Pick<Outcome, "podsByNode">,
  { nodes }: Snapshot,
): ProvisioningPlan {
  const placed = new Map(podsByNode);
  for (const { node, pods } of plan.placements) placed.set(node.name, [...(placed.get(node.name) ?? []), ...pods]);
  const placements = nodes.flatMap((node) => {
    const pods = placed.get(node.name);
    return pods === undefined ? [] : [{ node, pods }];
  });
  return { ...plan, placements };
}

/**
 * The cheapest plan, or one that spares nodes where that costs next to nothing more: every node is one more to launch, to
 * run daemons on and to look after. Where kube-scheduler places the pods, plans are compared by what it makes of them.
 */
function chooseNew(request: PlanRequest, hints: PlanRequest["hints"], pace: Pace): ProvisioningPlan {
  const { pendingPods, placement, snapshot } = request;
  const make = (choices: Choices, share: number, pods = pendingPods): ProvisioningPlan =>
    planProvisioning(snapshot, pods, planSettings(request, choices, pace.effort(share)));
  const sparing = make({ pricePerNode, hints }, 1 / 2);
  const isOnePod = sparing.nodes.reduce((sum, { pods }) => sum + pods.length, 0) <= 1;
  // One pod takes one node.
  if (isOnePod || pace.isLate()) return sparing;
  const tight = sparingOf(sparing, make({ pricePerNode: 0, hints }, 1 / 4));
  if (placement === "Bind" || pace.isLate()) return tight;
  const judging = planSettings(request, { pricePerNode, hints }, pace.effort(1 / 16));
  const judge = (plan: ProvisioningPlan): HeldPlan => ({ plan, secondWave: leftOverShare(plan, request, judging) });
  let best = judge(tight);
  if (best.secondWave <= toleratedShare) return tight;
  // Fewer nodes are larger ones, on which hardly anybody takes the room of another.
  if (sparing.refusals.length <= tight.refusals.length) {
    const spared = judge(sparing);
    if (worth(spared) < worth(best)) best = spared;
  }
  const evenly = overZones(pendingPods);
  let roomy: ProvisioningPlan | undefined;
  for (const headroom of headrooms) {
    if (pace.isLate()) break;
    // With few pods, nodes often have more room than was asked for, and the next plan would be the same.
    if (roomy !== undefined && leavesFree(roomy, headroom)) continue;
    const plan = forThemselves(make({ pricePerNode, headroom, hints }, 1 / 8, evenly), pendingPods);
    // With more room it would cost even more.
    if (plan.refusals.length > tight.refusals.length || plan.costPerHour >= worth(best)) break;
    roomy = plan;
    const next = judge(plan);
    if (worth(next) < worth(best)) best = next;
  }
  if (!pace.isLate()) {
    const held = holdPlan(tight, request, judging);
    if (worth(held) < worth(best)) best = held;
  }
  const { plan } = best;
  return { ...plan, boundPerHour: () => Math.min(tight.boundPerHour(), plan.costPerHour) };
}

/** Whether so large a share of each node's cpu and memory is free. */
function leavesFree({ nodes }: ProvisioningPlan, share: number): boolean {
  return nodes.every((node) => {
    const { allocatable } = launchedNode(node, "");
    return ["cpu", "memory"].every(
      (resource) => (node.requests.get(resource) ?? 0) <= (allocatable.get(resource) ?? 0) * (1 - share),
    );
  });
}

/** The same plan for the pods themselves. */
function forThemselves(plan: ProvisioningPlan, pods: readonly Pod[]): ProvisioningPlan {
  const byUid = new Map(pods.map((pod) => [pod.uid, pod]));
  const themselves = (planned: readonly Pod[]): readonly Pod[] => planned.map((pod) => byUid.get(pod.uid) ?? pod);
  return {
    ...plan,
    nodes: plan.nodes.map((node) => ({ ...node, pods: themselves(node.pods) })),
    placements: plan.placements.map(({ node, pods: planned }) => ({ node, pods: themselves(planned) })),
    refusals: plan.refusals.map(({ pod, refusal }) => ({ pod: byUid.get(pod.uid) ?? pod, refusal })),
  };
}

/** What pods that wait for a second wave of machines are worth, as a multiple of their share of the price. */
const waitingPrice = 10;

function worth({ plan, secondWave }: HeldPlan): number {
  return plan.costPerHour * (1 + waitingPrice * secondWave);
}

function sparingOf(sparing: ProvisioningPlan, cheap: ProvisioningPlan): ProvisioningPlan {
  const spared = cheap.nodes.length - sparing.nodes.length;
  const most = cheap.costPerHour * (spared > 0 ? tolerance : 1) + volumePrice * spared;
  const isWorthIt = sparing.refusals.length <= cheap.refusals.length && sparing.costPerHour <= most;
  return isWorthIt ? { ...sparing, boundPerHour: cheap.boundPerHour } : cheap;
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
