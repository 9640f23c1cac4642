import type { Pod } from "../../model/pod.ts";
import { type Random, seededRandom } from "../../model/seeded-random.ts";
import type { Snapshot } from "../../model/snapshot.ts";
import { controllerUid } from "../../model/workload.ts";
import { screenPods } from "../screen-pods.ts";
import type { PlanSettings } from "../settings.ts";
import { World } from "../world.ts";
import { play, type QueuedPod } from "./play.ts";
import { SchedulerModel } from "./scheduler-model.ts";

export interface Cast {
  readonly snapshot: Snapshot;
  /** Those that kube-scheduler has to find a place for, in the order in which they were created. */
  readonly pods: readonly Pod[];
  /** Names of the nodes that they may go to. */
  readonly nodes: ReadonlySet<string>;
}

export interface Outcome {
  /** The pods that came to each node, by its name. */
  readonly podsByNode: ReadonlyMap<string, readonly Pod[]>;
  readonly leftOver: readonly Pod[];
}

interface Order {
  /** In how many groups nodes become ready: machines that boot alike come all at once, others one after the other. */
  readonly groups: number;
  /** Pods come as they are now. Otherwise as kube-controller-manager might create them. */
  readonly isAsGiven: boolean;
}

const orders: readonly Order[] = [
  { groups: 1, isAsGiven: true },
  { groups: 1, isAsGiven: false },
  { groups: 6, isAsGiven: false },
  { groups: Number.POSITIVE_INFINITY, isAsGiven: false },
];

/** Pods and nodes in kube-scheduler's hands. */
export class Stage {
  readonly #world: World;
  readonly #model: SchedulerModel;
  readonly #pods: readonly QueuedPod[];
  /** Pods that no node could help, whatever is on it. */
  readonly #hopeless: readonly Pod[];
  readonly #playing: readonly number[];

  constructor({ snapshot, pods, nodes }: Cast, settings: PlanSettings) {
    const withoutPools = { ...snapshot, nodePools: [] };
    const { classes, refusals } = screenPods(withoutPools, pods, settings);
    this.#hopeless = refusals.map(({ pod }) => pod);
    this.#world = new World(withoutPools, classes, settings);
    // By uid: with default spread, the pods of a class are copies.
    const queued = new Map(
      classes.flatMap((planned) => planned.podClass.pods.map((pod) => [pod.uid, { pod, planned }] as const)),
    );
    this.#pods = pods.flatMap(({ uid }) => queued.get(uid) ?? []);
    const { openNodes } = this.#world;
    const isPlaying = (index: number): boolean => nodes.has(openNodes[index]?.existing?.name ?? "");
    const indexes = [...openNodes.keys()];
    this.#playing = indexes.filter(isPlaying);
    const bystanders = openNodes.filter((_, index) => !isPlaying(index));
    this.#model = new SchedulerModel(this.#world, bystanders);
  }

  /** What kube-scheduler makes of it in a few orders of nodes and pods, the same ones every time. */
  playAll(): readonly Outcome[] {
    return orders.map((order, index) => this.#play(order, seededRandom(index + 1)));
  }

  #play({ groups, isAsGiven }: Order, random: Random): Outcome {
    const { openNodes } = this.#world;
    const isReady = (index: number): boolean => openNodes[index]?.existing?.isInitialized === true;
    const coming = shuffled(
      this.#playing.filter((index) => !isReady(index)),
      random,
    );
    const size = Math.max(1, Math.ceil(coming.length / groups));
    const joins = [this.#playing.filter(isReady)];
    for (let start = 0; start < coming.length; start += size) joins.push(coming.slice(start, start + size));
    const queue = important(isAsGiven ? this.#pods : inOrderOfCreation(this.#pods, random));
    const { podsByNode, leftOver } = play(this.#model, queue, joins, random);
    const byName = Array.from(podsByNode, ([index, pods]) => [openNodes[index]?.existing?.name ?? "", pods] as const);
    return { podsByNode: new Map(byName), leftOver: [...leftOver, ...this.#hopeless] };
  }
}

/** Where the pods of an outcome are, besides those that were there before. */
export function withOutcome(snapshot: Snapshot, { podsByNode }: Pick<Outcome, "podsByNode">): Snapshot {
  const placed = new Map(snapshot.podsByNode);
  for (const [name, pods] of podsByNode) {
    placed.set(name, [...(placed.get(name) ?? []), ...pods.map((pod) => ({ ...pod, nodeName: name }))]);
  }
  return { ...snapshot, podsByNode: placed };
}

/** kube-controller-manager creates the pods of so many ReplicaSets side by side. */
const atOnce = 5;

/** The important first, as in kube-scheduler's queue, and of these the ones that exist: they are in it already. */
function important(pods: readonly QueuedPod[]): readonly QueuedPod[] {
  const lateness = ({ planned }: QueuedPod): number => (planned.podClass.expectation === undefined ? 0 : 1);
  const priority = ({ planned }: QueuedPod): number => planned.podClass.spec.priority;
  return pods.toSorted((a, b) => priority(b) - priority(a) || lateness(a) - lateness(b));
}

/** Workload after workload, in any order, and of each one pod after the other. */
function inOrderOfCreation(pods: readonly QueuedPod[], random: Random): QueuedPod[] {
  const workloads = [...Map.groupBy(pods, ({ pod }) => controllerUid(pod) || pod.uid).values()];
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
  return queue;
}

function shuffled<T>(items: readonly T[], random: Random): T[] {
  return items
    .map((item) => ({ item, at: random() }))
    .sort((a, b) => a.at - b.at)
    .map(({ item }) => item);
}
