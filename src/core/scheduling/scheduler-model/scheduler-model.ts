import type { Pod } from "../../model/pod.ts";
import type { Random } from "../../model/seeded-random.ts";
import { loadOf } from "../bound-pods.ts";
import { type Newcomer, type OpenNode, placeOnOpenNodes, type Requests, takeOff, wouldTake } from "../open-nodes.ts";
import type { PlannedClass, StagedClass, World } from "../world.ts";
import { assumedRequests, balancedAllocation, leastAllocated } from "./node-score.ts";
import { SpreadScore } from "./spread-score.ts";

/** A class in kube-scheduler's hands: what it asks for, and what each node is worth to it. */
interface ModelClass {
  readonly staged: StagedClass;
  readonly newcomer: Newcomer;
  readonly cpu: number;
  readonly memory: number;
  /** Only what is on a node decides whether it takes a pod of the class, not what is elsewhere. */
  readonly isLocal: boolean;
  readonly scores: Float64Array;
  readonly seen: Int32Array;
}

const closed = -1;

/**
 * Decides as kube-scheduler does with its default profile for pods that prefer nothing: of the nodes that are ready and
 * take the pod, the one that the scores of cpu, memory and spread like best.
 */
export class SchedulerModel {
  readonly #world: World;
  readonly #bystanders: readonly OpenNode[];
  readonly #cpu: number;
  readonly #memory: number;
  readonly #classes = new Map<PlannedClass, ModelClass>();
  /** What pods without requests are assumed to need on each node, beyond what is counted. */
  readonly #assumedCpu: Float64Array;
  readonly #assumedMemory: Float64Array;
  /** Counts the pods that came to each node, so that a score is worked out anew only when it has changed. */
  readonly #version: Int32Array;
  readonly #ready: number[] = [];
  readonly #spread: SpreadScore;
  /** The nodes that take the pod in hand, and what each is worth to it. */
  readonly #indexes: Int32Array;
  readonly #scores: Float64Array;

  /** `bystanders`: nodes that get no pod, but whose pods count where pods look at what is elsewhere. */
  constructor(world: World, bystanders: readonly OpenNode[] = []) {
    this.#world = world;
    this.#bystanders = bystanders;
    const { openNodes, resources, snapshot } = world;
    this.#spread = new SpreadScore(openNodes, (name) => snapshot.podsByNode.get(name) ?? []);
    this.#indexes = new Int32Array(openNodes.length);
    this.#scores = new Float64Array(openNodes.length);
    this.#cpu = resources.indexOf("cpu");
    this.#memory = resources.indexOf("memory");
    this.#assumedCpu = new Float64Array(openNodes.length);
    this.#assumedMemory = new Float64Array(openNodes.length);
    this.#version = new Int32Array(openNodes.length);
    openNodes.forEach(({ existing }, index) => {
      for (const { kind, count } of loadOf(snapshot.podsByNode.get(existing?.name ?? "") ?? []).kinds) {
        if (!kind.spec.requests.get("cpu")) this.#assumedCpu[index]! += count * assumedRequests.cpu;
        if (!kind.spec.requests.get("memory")) this.#assumedMemory[index]! += count * assumedRequests.memory;
      }
    });
    world.ruleBook.limitTo(bystanders);
  }

  /** From now on the node takes pods. */
  join(index: number): void {
    this.#ready.push(index);
    this.#world.ruleBook.addPlace(this.#world.openNodes[index]!);
  }

  /** The index of the node that gets the pod, which is of the class; undefined when none takes it. */
  schedule(planned: PlannedClass, pod: Pod, random: Random): number | undefined {
    const one = this.#classOf(planned);
    const best = this.#bestFor(one, pod, random);
    if (best === undefined) return undefined;
    placeOnOpenNodes(one.newcomer, 1, [this.#world.openNodes[best]!]);
    this.#spread.place(pod, best);
    this.#version[best]!++;
    if (one.cpu === 0) this.#assumedCpu[best]! += assumedRequests.cpu;
    if (one.memory === 0) this.#assumedMemory[best]! += assumedRequests.memory;
    return best;
  }

  isLocal(planned: PlannedClass): boolean {
    return this.#classOf(planned).isLocal;
  }

  /** The nodes that kube-scheduler would choose among for the pod, which is of the class. */
  choices(planned: PlannedClass, pod: Pod): number[] {
    const count = this.#score(this.#classOf(planned), pod);
    const best = Math.max(...this.#scores.subarray(0, count));
    return [...this.#indexes.subarray(0, count)].filter((_, place) => this.#scores[place] === best);
  }

  #bestFor(one: ModelClass, pod: Pod, random: Random): number | undefined {
    const count = this.#score(one, pod);
    let best: number | undefined;
    let highest = closed;
    let ties = 0;
    for (let place = 0; place < count; place++) {
      const score = this.#scores[place]!;
      if (score < highest) continue;
      if (score > highest) ties = 0;
      ties++;
      // As kube-scheduler does: each of the best is as likely.
      if (ties > 1 && random() * ties >= 1) continue;
      highest = score;
      best = this.#indexes[place];
    }
    return best;
  }

  /** Fills in the nodes that take the pod and their scores. Returns how many there are. */
  #score(one: ModelClass, pod: Pod): number {
    let count = 0;
    for (const index of this.#ready) {
      const score = this.#scoreOf(one, index);
      if (score === closed) continue;
      this.#indexes[count] = index;
      this.#scores[count++] = score;
    }
    if (count > 1) this.#spread.addTo(this.#scores, this.#indexes, count, pod);
    return count;
  }

  #scoreOf(one: ModelClass, index: number): number {
    const node = this.#world.openNodes[index]!;
    if (one.seen[index] !== this.#version[index]) {
      one.seen[index] = this.#version[index]!;
      one.scores[index] = this.#resourceScore(one, node, index);
    }
    const score = one.scores[index]!;
    return score === closed || one.isLocal || wouldTake(one.newcomer, node) ? score : closed;
  }

  #resourceScore({ newcomer, cpu, memory, isLocal }: ModelClass, node: OpenNode, index: number): number {
    const requests = newcomer.requestsOn(node.poolName);
    if (!hasRoomFor(requests, node.room) || (isLocal && !wouldTake(newcomer, node))) return closed;
    const allocatable = node.existing?.allocatable;
    const capacity = { cpu: allocatable?.get("cpu") ?? 0, memory: allocatable?.get("memory") ?? 0 };
    const used = { cpu: capacity.cpu - node.room[this.#cpu]!, memory: capacity.memory - node.room[this.#memory]! };
    const assumed = {
      cpu: used.cpu + this.#assumedCpu[index]! + (cpu || assumedRequests.cpu),
      memory: used.memory + this.#assumedMemory[index]! + (memory || assumedRequests.memory),
    };
    const least = leastAllocated(assumed, capacity);
    return cpu === 0 && memory === 0 ? least : least + balancedAllocation(used, { cpu, memory }, capacity);
  }

  #classOf(planned: PlannedClass): ModelClass {
    let known = this.#classes.get(planned);
    if (known === undefined) {
      const world = this.#world;
      const staged = world.atStage(planned, world.stagesOf(planned.podClass.spec).length - 1)!;
      const { demands, memberOf, hostNeeds } = staged.rules;
      known = {
        staged,
        newcomer: world.newcomer(staged),
        cpu: planned.podClass.requests.get("cpu") ?? 0,
        memory: planned.podClass.requests.get("memory") ?? 0,
        isLocal: demands.length + memberOf.length + hostNeeds.length === 0,
        scores: new Float64Array(world.openNodes.length),
        seen: new Int32Array(world.openNodes.length).fill(-1),
      };
      this.#classes.set(planned, known);
    }
    return known;
  }

  /** Takes every pod off again that came, and no node is ready any more. */
  reset(): void {
    const { openNodes, ruleBook } = this.#world;
    openNodes.forEach((node, index) => {
      const profile = this.#world.profileOf(node.poolName);
      for (const placement of node.placed) {
        const { podClass } = placement.staged;
        if (!podClass.requests.get("cpu")) this.#assumedCpu[index]! -= assumedRequests.cpu * placement.count;
        if (!podClass.requests.get("memory")) this.#assumedMemory[index]! -= assumedRequests.memory * placement.count;
        takeOff(node, placement, placement.count, profile);
      }
      node.placed.length = 0;
      this.#version[index]!++;
    });
    this.#spread.reset();
    this.#ready.length = 0;
    ruleBook.limitTo(this.#bystanders);
  }
}

function hasRoomFor(requests: Requests, room: Float64Array): boolean {
  for (let index = 0; index < requests.length; index++) {
    const need = requests[index]!;
    if (need > 0 && room[index]! < need) return false;
  }
  return true;
}
