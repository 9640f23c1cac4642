import { groupAlike } from "../../core/model/are-alike.ts";
import { domainSpread } from "../../core/model/domain-spread.ts";
import { wellKnownLabels } from "../../core/model/labels.ts";
import type { Pod } from "../../core/model/pod.ts";
import type { Snapshot } from "../../core/model/snapshot.ts";
import { describeRefusal } from "../../core/scheduling/describe-refusal.ts";
import type { Headroom } from "../../core/scheduling/headroom.ts";
import type { PlannedNode, ProvisioningPlan } from "../../core/scheduling/plan.ts";
import { planProvisioning } from "../../core/scheduling/provisioning.ts";
import type { Refusal } from "../../core/scheduling/refusal.ts";
import type { PlanSettings } from "../../core/scheduling/settings.ts";
import type { NodeToLaunch, PlanAnswer, PlanRequest } from "../../ports/planner.ts";

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

/** What a node costs besides its price, in dollars an hour, when few nodes are looked for. */
const pricePerNode = 0.05;
/** And when kube-scheduler is told of every pod: what an API server does for a node competes with that. */
const priceOfLooseNode = 0.8;
/**
 * Where siblings are kept apart, so much of every node is left to pods that go elsewhere than planned. Those take the
 * places of pods that nobody tells, so that it is more where it makes up for one of these.
 */
const headroomFor = (forOneMore: Pod): Headroom => ({ share: 0.03, mostShare: 0.05, forOneMore });
/** For each pod that it tries on a node, kube-scheduler copies all that are nominated there. */
const podsPerNode = 64;
/** A plan with fewer nodes may cost so much more. */
const tolerance = 1.005;
/**
 * And one in which pods that must spread do not crowd on nodes such a share more of all that is bought or being filled,
 * because that is where pods go that nobody tells; but not more than twice as much.
 */
const looseShare = 0.12;
/** It may have so many times as many nodes. */
const mostNodes = 2;
/** And so much more for every node that it spares, in dollars an hour: what a volume of 20 GiB to start from costs. */
const volumePrice = 0.0025;

/**
 * Makes the plan and says it in a form that can cross threads. Many plans cost nearly the same, and every node is one
 * more to launch, to run daemons on and to look after: of the cheapest plan and one that spares nodes, the latter is
 * taken unless it costs more. Where pods that must spread over zones crowd on nodes and should not, one in which they do
 * not takes the place of the cheapest.
 */
export function answerPlan(request: PlanRequest, pace: Pace): PlanAnswer {
  const { keepsApart = false, pendingPods, snapshot } = request;
  const filling = keepsApart ? nodesBeingFilled(snapshot) : [];
  const task = { request, pace, filling, crowding: mostCrowded(filling.map(({ pods }) => pods)) };
  const hasSiblings = keepsApart && pendingPods.some((pod) => domainSpread(pod) !== undefined);
  return portable(hasSiblings ? planApart(task) : planSparingly(task));
}

interface Task {
  readonly request: PlanRequest;
  readonly pace: Pace;
  readonly filling: readonly Filling[];
  /** Of the pods that are on their way, one of the kind that is not told. */
  readonly crowding: Pod | undefined;
}

function planSparingly(task: Task): ProvisioningPlan {
  const { pace } = task;
  const sparing = makePlan(task, { pricePerNode }, pace.effort(3 / 4));
  const isOnePod = sparing.nodes.reduce((sum, { pods }) => sum + pods.length, 0) <= 1;
  // One pod takes one node.
  if (isOnePod || pace.isLate()) return sparing;
  return sparingOf(sparing, makePlan(task, {}, pace.effort(1 / 4)));
}

function sparingOf(sparing: ProvisioningPlan, cheap: ProvisioningPlan): ProvisioningPlan {
  const spared = cheap.nodes.length - sparing.nodes.length;
  const most = cheap.costPerHour * (spared > 0 ? tolerance : 1) + volumePrice * spared;
  const isBetter = sparing.refusals.length <= cheap.refusals.length && sparing.costPerHour <= most;
  return isBetter ? { ...sparing, boundPerHour: cheap.boundPerHour } : cheap;
}

/**
 * kube-scheduler follows a plan only if pods that take turns between zones are not meant for the same node. One kind may
 * be: it finds its places by itself, as long as all others are told theirs.
 */
function planApart(task: Task): ProvisioningPlan {
  const { pace, filling } = task;
  // Good enough to compare with. No time is taken for it, which would be that of the plan that is carried out.
  let tight = makePlan(task, { pricePerNode }, pace.effort(0));
  if (pace.isLate()) return tight;
  const mayCrowd = task.crowding ?? mostCrowded(tight.nodes.map(({ pods }) => pods));
  if (mayCrowd === undefined) return planSparingly(task);
  tight = withBound(tight);
  const nodesPerDomain = mostNodes * nodesPerZone(tight.nodes);
  const leeway = { nodesPerDomain, mayCrowd, headroom: headroomFor(mayCrowd), podsPerNode };
  const loose = makePlan(task, { pricePerNode: priceOfLooseNode, leeway }, pace.effort(1));
  const atStake = filling.reduce((sum, { price }) => sum + price, tight.costPerHour);
  const mostMore = Math.min(atStake * looseShare, tight.costPerHour);
  const isGood = loose.refusals.length <= tight.refusals.length && loose.costPerHour <= tight.costPerHour + mostMore;
  if (isGood) return { ...loose, boundPerHour: tight.boundPerHour };
  return pace.isLate() ? tight : planSparingly(task);
}

/** The bound is found at once, so that nothing is kept that it is found with. */
function withBound(plan: ProvisioningPlan): ProvisioningPlan {
  const bound = plan.boundPerHour();
  return { ...plan, boundPerHour: () => bound };
}

/** A node with pods that are meant for it and have not come yet: these, and what their share of it costs. */
interface Filling {
  readonly price: number;
  readonly pods: readonly Pod[];
}

function nodesBeingFilled({ nodes, podsByNode }: Snapshot): readonly Filling[] {
  return nodes.flatMap(({ name, price = 0 }) => {
    const all = podsByNode.get(name) ?? [];
    const pods = all.filter(({ nodeName }) => nodeName === "");
    return pods.length === 0 ? [] : [{ price: (price * pods.length) / all.length, pods }];
  });
}

/** Of the pods that have to spread over zones, or whatever it is, one of the kind that shares nodes most. */
function mostCrowded(podsOfNodes: readonly (readonly Pod[])[]): Pod | undefined {
  const crowded = podsOfNodes.flatMap((pods) => {
    const kinds = groupAlike(pods.filter((pod) => domainSpread(pod) !== undefined));
    return kinds.filter(({ length }) => length > 1).flat();
  });
  const [most] = [...groupAlike(crowded)].sort((a, b) => b.length - a.length);
  return most?.[0];
}

function nodesPerZone(nodes: readonly PlannedNode[]): number {
  return nodes.length / new Set(nodes.map(({ zone }) => zone)).size;
}

function makePlan(
  { request, crowding }: Task,
  choices: Partial<Pick<PlanSettings, "pricePerNode" | "leeway">>,
  effort: Effort,
): ProvisioningPlan {
  const oldestFirst = request.keepsApart === true;
  const settings = settingsOf(request, {
    ...effort,
    pricePerNode: 0,
    reservedCapacity: "Strict",
    oldestFirst,
    headroomOnTheWay: crowding === undefined ? undefined : headroomFor(crowding),
    ...choices,
  });
  return planProvisioning(request.snapshot, request.pendingPods, settings);
}

export function settingsOf(
  request: PlanRequest,
  choices: Pick<PlanSettings, "reservedCapacity" | "pricePerNode" | "maxRounds" | "shouldStop"> &
    Partial<Pick<PlanSettings, "leeway" | "headroomOnTheWay" | "oldestFirst">>,
): PlanSettings {
  return {
    leeway: undefined,
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
    boundPerHour: boundPerHour(),
  };
}

export function portableNode({ pool, pods, reservationId: _, ...node }: PlannedNode): NodeToLaunch {
  return { ...node, poolName: pool.name, podUids: pods.map(({ uid }) => uid) };
}

function isInvalid({ kind }: Refusal): boolean {
  return kind === "volume" || kind === "device-claims" || kind === "restricted-label";
}
