import type { Leaver } from "../model/leaver.ts";
import type { Pod } from "../model/pod.ts";
import type { Snapshot } from "../model/snapshot.ts";
import { describeRefusal } from "../scheduling/describe-refusal.ts";
import type { PlannedNode, ProvisioningPlan } from "../scheduling/plan.ts";
import { planProvisioning } from "../scheduling/provisioning.ts";
import type { PlanSettings } from "../scheduling/settings.ts";
import { capLaunch } from "./cap-launch.ts";
import { forkWithout } from "./fork-snapshot.ts";

export interface FleetQuestion {
  readonly snapshot: Snapshot;
  readonly pendingPods: readonly Pod[];
  readonly leavers: readonly Leaver[];
  /** Names of the nodes that may take what moves, now or before long. */
  readonly destinations: ReadonlySet<string>;
  readonly isSpotToSpotEnabled: boolean;
}

/** Nodes that go together, because what replaces them is the same; the smallest thing that can be done on its own. */
export interface Part {
  /** Positions among the leavers. */
  readonly members: readonly number[];
  readonly launches: readonly PlannedNode[];
  readonly savings: number;
  readonly disturbance: number;
  /** What is saved beyond what the disturbance is worth. */
  readonly gain: number;
}

/** Where pods may go that move. */
export interface Bounds {
  /** Nobody goes there, because these are to go as well, now or later. */
  readonly avoided?: readonly number[];
  /** Names of nodes; all destinations when absent. */
  readonly within?: ReadonlySet<string>;
}

/** What comes of taking some nodes away: the parts of it that are worth it, and why the rest is not. */
export interface Outcome {
  readonly parts: readonly Part[];
  readonly gain: number;
  readonly members: readonly number[];
  readonly stays: ReadonlyMap<number, Stay>;
}

/** Why a node stays. */
export interface Stay {
  readonly because: string;
  /** What was found to save too little for what it disturbs, if that is why. */
  readonly rejected?: Omit<Part, "launches" | "gain">;
}

/** A replacement that saves less than this share is not worth the trouble of anybody. */
const leastShare = 0.02;
/** Several new nodes must save more: kube-scheduler may fill them otherwise than planned, and then some are missing. */
const leastShareOfSeveral = 0.25;
/** Of two moves that save the same, the one that disturbs less is better. */
const faintly = 1e-6;
/** A single spot machine is replaced by another only if so many types are cheaper, or it would be taken back soon. */
const leastSpotTypes = 15;

/** The fleet as it is, which can be asked what it would be without some of its nodes. */
export class Fleet {
  readonly leavers: readonly Leaver[];
  readonly #question: FleetQuestion;
  readonly #settings: PlanSettings;
  readonly #leaverOfPod = new Map<string, number>();
  evaluations = 0;

  constructor(question: FleetQuestion, settings: PlanSettings) {
    this.#question = question;
    this.#settings = settings;
    this.leavers = question.leavers;
    for (const [index, { podUids }] of question.leavers.entries())
      for (const uid of podUids) this.#leaverOfPod.set(uid, index);
  }

  without(
    members: readonly number[],
    { avoided = members, within = this.#question.destinations }: Bounds = {},
  ): Outcome {
    const gone = new Set(members.map((index) => this.#leaver(index).nodeName));
    const destinations = new Set(within);
    for (const index of avoided) destinations.delete(this.#leaver(index).nodeName);
    const plan = this.plan(gone, destinations);
    const blocked = this.#blockedBy(plan);
    const stays = new Map<number, Stay>();
    const parts: Part[] = [];
    for (const { members: together, launches } of this.#partsOf(members, plan)) {
      const blocker = together.find((index) => blocked.has(index));
      const part = blocker === undefined ? this.#judge(together, launches) : { because: blocked.get(blocker) ?? "" };
      if ("launches" in part) parts.push(part);
      else for (const index of together) stays.set(index, part);
    }
    return {
      parts,
      gain: parts.reduce((sum, { gain }) => sum + gain, 0),
      members: parts.flatMap((part) => part.members),
      stays,
    };
  }

  get destinations(): ReadonlySet<string> {
    return this.#question.destinations;
  }

  plan(gone: ReadonlySet<string>, destinations: ReadonlySet<string>): ProvisioningPlan {
    this.evaluations++;
    const { snapshot, pendingPods } = this.#question;
    const fork = forkWithout(snapshot, pendingPods, {
      gone,
      destinations,
      mayMove: ({ uid }) => this.#leaverOfPod.has(uid),
    });
    return planProvisioning(fork.snapshot, fork.pendingPods, this.#settings);
  }

  #leaver(index: number): Leaver {
    const leaver = this.leavers[index];
    if (leaver === undefined) throw new RangeError(`There is no leaver ${index}`);
    return leaver;
  }

  /** Pods that wait already may go on waiting; those that run may not be made to. */
  #blockedBy({ refusals }: ProvisioningPlan): ReadonlyMap<number, string> {
    const blocked = new Map<number, string>();
    for (const { pod, refusal } of refusals) {
      const index = this.#leaverOfPod.get(pod.uid);
      if (index === undefined || blocked.has(index)) continue;
      blocked.set(index, `pod ${pod.namespace}/${pod.name} has nowhere else to go: ${describeRefusal(refusal)}`);
    }
    return blocked;
  }

  #partsOf(members: readonly number[], { nodes }: ProvisioningPlan): readonly Pick<Part, "members" | "launches">[] {
    const groups = new Map(members.map((index) => [index, { members: [index], launches: [] as PlannedNode[] }]));
    for (const node of nodes) {
      const sources = new Set(node.pods.flatMap(({ uid }) => this.#leaverOfPod.get(uid) ?? []));
      const [first, ...others] = [...new Set([...sources].map((index) => groups.get(index)))];
      // A node for pods that wait is bought by whoever serves those.
      if (first === undefined) continue;
      first.launches.push(node);
      for (const other of others) {
        if (other === undefined) continue;
        first.members.push(...other.members);
        first.launches.push(...other.launches);
        for (const index of other.members) groups.set(index, first);
      }
    }
    return [...new Set(groups.values())];
  }

  /** Why it is not done, if it is not worth doing. */
  #judge(members: readonly number[], planned: readonly PlannedNode[]): Part | Stay {
    const leavers = members.map((index) => this.#leaver(index));
    const before = sum(leavers.map(priceOf));
    const after = sum(planned.map(({ price }) => price));
    const savings = before - after;
    const disturbance = sum(leavers.map((leaver) => leaver.disturbance));
    const asked = sum(leavers.map(askedFor));
    const share = planned.length > 1 ? leastShareOfSeveral : leastShare;
    if (planned.length > 0 && savings < share * before)
      return {
        because: `its pods would cost ${dollars(after)} an hour elsewhere${members.length > 1 ? ` with those of ${members.length - 1} others` : ""}, they cost ${dollars(before)} now`,
      };
    const objection = objectionOf(leavers, savings);
    if (objection !== undefined) return { because: objection, rejected: { members, savings, disturbance } };
    const launches = this.#capLaunches(leavers, planned, (before - after) / planned.length);
    if (typeof launches === "string") return { because: launches };
    // Nobody knows what it saves, but it is for the better.
    const isUnknown = leavers.every(({ price }) => price === undefined);
    const gain = isUnknown ? faintly : savings - asked - faintly * disturbance;
    return { members, launches, savings, disturbance, gain };
  }

  #capLaunches(
    leavers: readonly Leaver[],
    planned: readonly PlannedNode[],
    slack: number,
  ): readonly PlannedNode[] | string {
    const isFromSpot = leavers.every(({ capacityType }) => capacityType === "spot");
    const launches: PlannedNode[] = [];
    for (const node of planned) {
      const isSpotToSpot = isFromSpot && node.capacityType === "spot";
      if (isSpotToSpot && !this.#question.isSpotToSpotEnabled)
        return "its pods need another machine, and spot machines are replaced by spot machines only with the feature gate SpotToSpotConsolidation";
      // To buy again what goes would be to move pods for nothing.
      const cheapest = (type: string): number =>
        Math.min(...leavers.filter(({ instanceType }) => instanceType === type).map(priceOf));
      if (node.price >= cheapest(node.instanceType)) return "its pods would need a machine of its kind again";
      const capped = capLaunch(node, node.price + slack, (type, price) => price >= cheapest(type));
      if (capped === undefined) return "what could replace it may turn out as dear as it is";
      const isAlone = isSpotToSpot && leavers.length === 1;
      if (isAlone && capped.instanceTypes.length < leastSpotTypes)
        return `only ${capped.instanceTypes.length} cheaper instance types would do, and a spot machine is replaced by another when there are ${leastSpotTypes} at least`;
      launches.push(isAlone ? fewest(capped) : capped);
    }
    return launches;
  }
}

/** A cloud that may choose among many spot machines picks those that it is likely to keep, which are not the cheap ones. */
function fewest(node: PlannedNode): PlannedNode {
  if (node.isMinValuesRelaxed || [...node.requirements.values()].some(({ minValues }) => minValues !== undefined))
    return node;
  return { ...node, instanceTypes: node.instanceTypes.slice(0, leastSpotTypes) };
}

/**
 * What is saved counts for each pool by its share of what goes, and every pool has its own measure of what that must
 * be: a pool does not pay with its disturbance for what another saves.
 */
function objectionOf(leavers: readonly Leaver[], savings: number): string | undefined {
  const before = sum(leavers.map(priceOf));
  const pools = Map.groupBy(leavers, ({ poolName }) => poolName);
  for (const [name, own] of pools) {
    const asked = sum(own.map(askedFor));
    const share = pools.size === 1 ? savings : before === 0 ? 0 : (savings * sum(own.map(priceOf))) / before;
    if (share >= asked) continue;
    const where = pools.size === 1 ? "" : ` in NodePool "${name}"`;
    return asked === Number.POSITIVE_INFINITY
      ? `nothing is known of what NodePool "${name}" costs, so that no saving can be weighed`
      : `${dollars(share)} an hour would be saved${where}, less than the ${dollars(asked)} that the disturbance must be worth`;
  }
  return undefined;
}

function priceOf({ price }: Leaver): number {
  return price ?? 0;
}

function askedFor({ disturbance, leastSaving }: Leaver): number {
  return disturbance * leastSaving;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

function dollars(amount: number): string {
  return `$${amount.toFixed(amount < 1 ? 4 : 2)}`;
}
