import type { Node } from "../../model/node.ts";
import type { Pod } from "../../model/pod.ts";
import { type Random, seededRandom } from "../../model/seeded-random.ts";
import type { Snapshot } from "../../model/snapshot.ts";
import type { PlannedNode, ProvisioningPlan } from "../plan.ts";
import { planProvisioning } from "../provisioning.ts";
import { screenPods } from "../screen-pods.ts";
import type { PlanSettings } from "../settings.ts";
import { World } from "../world.ts";
import { launchedNode } from "./launched-node.ts";
import { type Played, play, type QueuedPod } from "./play.ts";
import { SchedulerModel } from "./scheduler-model.ts";

export interface HeldPlan {
  /** With the nodes for what kube-scheduler leaves over. */
  readonly plan: ProvisioningPlan;
  /** The share of its pods that are left over all the same, on average. */
  readonly secondWave: number;
}

/** In how many groups nodes become ready: machines that boot alike come all at once, others a few at a time. */
const orders: readonly number[] = [1, 1, 6, 6];
/** Of four orders, nodes are bought for what is left over in the one with the second most. */
const rank = 1;
const toleratedShare = 0.01;
const mostTimes = 3;

/** Plays a plan as kube-scheduler would carry it out, and plans for what is left over, until hardly anything is. */
export function holdPlan(plan: ProvisioningPlan, snapshot: Snapshot, settings: PlanSettings): HeldPlan {
  let held = plan;
  for (let times = 0; ; times++) {
    const stage = new Stage(held, snapshot, settings);
    const played = orders.map((groups, seed) => stage.play(groups, seededRandom(seed + 1)));
    const left = played.map(({ leftOver }) => leftOver.length);
    const secondWave = left.reduce((sum, count) => sum + count, 0) / (left.length * Math.max(1, stage.podCount));
    if (secondWave <= toleratedShare || times === mostTimes) return { plan: held, secondWave };
    const one = played.toSorted((a, b) => b.leftOver.length - a.leftOver.length)[rank]!;
    if (one.leftOver.length === 0) return { plan: held, secondWave };
    const next = stage.planMore(one);
    if (next === undefined) return { plan: held, secondWave };
    held = next;
  }
}

/** The nodes of a plan as if they were launched, and all its pods. */
class Stage {
  readonly #plan: ProvisioningPlan;
  readonly #snapshot: Snapshot;
  readonly #settings: PlanSettings;
  readonly #launched: readonly Node[];
  readonly #world: World;
  readonly #model: SchedulerModel;
  readonly #pods: readonly QueuedPod[];

  constructor(plan: ProvisioningPlan, snapshot: Snapshot, settings: PlanSettings) {
    this.#plan = plan;
    this.#settings = settings;
    this.#launched = plan.nodes.map((node, index) => launchedNode(node, launchedName(index)));
    this.#snapshot = { ...snapshot, nodes: [...snapshot.nodes, ...this.#launched] };
    const withoutPools = { ...this.#snapshot, nodePools: [] };
    const pods = [...plan.placements, ...plan.nodes].flatMap(({ pods }) => pods);
    const { classes } = screenPods(withoutPools, pods, settings);
    this.#world = new World(withoutPools, classes, settings);
    this.#pods = classes.flatMap((planned) => planned.podClass.pods.map((pod) => ({ pod, planned })));
    const playing = new Set(this.#playing());
    this.#model = new SchedulerModel(
      this.#world,
      this.#world.openNodes.filter((_, index) => !playing.has(index)),
    );
  }

  get podCount(): number {
    return this.#pods.length;
  }

  play(groups: number, random: Random): Played {
    const { openNodes } = this.#world;
    const isReady = (index: number): boolean => openNodes[index]?.existing?.isInitialized === true;
    const playing = this.#playing();
    const coming = shuffled(
      playing.filter((index) => !isReady(index)),
      random,
    );
    const size = Math.max(1, Math.ceil(coming.length / groups));
    const joins = [playing.filter(isReady)];
    for (let start = 0; start < coming.length; start += size) joins.push(coming.slice(start, start + size));
    return play(this.#model, inOrderOfCreation(this.#pods, random), joins, random);
  }

  /** The plan with nodes for the pods that are left over. Undefined where none would take them. */
  planMore({ podsByNode, leftOver }: Played): ProvisioningPlan | undefined {
    const placed = new Map(this.#snapshot.podsByNode);
    for (const [index, pods] of podsByNode) {
      const { name } = this.#world.openNodes[index]!.existing!;
      placed.set(name, [...(placed.get(name) ?? []), ...pods.map((pod) => ({ ...pod, nodeName: name }))]);
    }
    const more = planProvisioning({ ...this.#snapshot, podsByNode: placed }, leftOver, {
      ...this.#settings,
      hints: new Map(),
    });
    if (more.nodes.length === 0) return undefined;
    const moved = new Set(more.nodes.flatMap(({ pods }) => pods.map(({ uid }) => uid)));
    const stay = <T extends { readonly pods: readonly Pod[] }>(one: T): T => {
      const pods = one.pods.filter(({ uid }) => !moved.has(uid));
      return pods.length === one.pods.length ? one : { ...one, pods };
    };
    const plan = this.#plan;
    const nodes = [...this.#withPods(plan.nodes.map(stay), podsByNode), ...more.nodes];
    return {
      ...plan,
      nodes,
      placements: plan.placements.map(stay).filter(({ pods }) => pods.length > 0),
      costPerHour: nodes.reduce((sum, { price }) => sum + price, 0),
    };
  }

  /** A node whose own pods have moved is meant for those that took their place; one that nobody took is not needed. */
  #withPods(nodes: readonly PlannedNode[], podsByNode: Played["podsByNode"]): PlannedNode[] {
    const pods = nodes.map((node) => [...node.pods]);
    const homeOf = new Map(pods.flatMap((own, index) => own.map(({ uid }) => [uid, index] as const)));
    const indexOf = new Map(this.#world.openNodes.map(({ existing }, index) => [existing?.name, index]));
    for (const [index, own] of pods.entries()) {
      if (own.length > 0) continue;
      for (const pod of podsByNode.get(indexOf.get(launchedName(index)) ?? -1) ?? []) {
        const home = pods[homeOf.get(pod.uid) ?? -1];
        if (home === undefined || home.length <= 1) continue;
        own.push(
          ...home.splice(
            home.findIndex(({ uid }) => uid === pod.uid),
            1,
          ),
        );
      }
    }
    return nodes.flatMap((node, index) => (pods[index]!.length > 0 ? [{ ...node, pods: pods[index]! }] : []));
  }

  /** Nodes that get pods by the plan. */
  #playing(): readonly number[] {
    const names = new Set(
      [...this.#launched, ...this.#plan.placements.map(({ node }) => node)].map(({ name }) => name),
    );
    return this.#world.openNodes.flatMap(({ existing }, index) => (names.has(existing?.name ?? "") ? [index] : []));
  }
}

/** No name of a node has such characters. */
function launchedName(index: number): string {
  return `new/${index}`;
}

/** kube-controller-manager creates the pods of so many ReplicaSets side by side. */
const atOnce = 5;

/** Pods as kube-scheduler has them in its queue: the important first, and of each workload one after the other. */
function inOrderOfCreation(pods: readonly QueuedPod[], random: Random): QueuedPod[] {
  const workloads = [...Map.groupBy(pods, ({ pod }) => pod.owners[0]?.uid ?? pod.uid).values()];
  const waiting = shuffled(workloads, random).map((of) => of.values());
  const queue: QueuedPod[] = [];
  for (let turn = waiting.splice(0, atOnce); turn.length > 0; ) {
    const next = turn.flatMap((workload) => {
      const { done, value } = workload.next();
      if (done !== true) queue.push(value);
      return done === true ? waiting.splice(0, 1) : [workload];
    });
    turn = next;
  }
  return queue.sort((a, b) => b.planned.podClass.spec.priority - a.planned.podClass.spec.priority);
}

function shuffled<T>(items: readonly T[], random: Random): T[] {
  return items
    .map((item) => ({ item, at: random() }))
    .sort((a, b) => a.at - b.at)
    .map(({ item }) => item);
}
