import type { Pod } from "../../model/pod.ts";
import type { Random } from "../../model/seeded-random.ts";
import type { PlannedClass } from "../world.ts";
import type { SchedulerModel } from "./scheduler-model.ts";

export interface QueuedPod {
  readonly pod: Pod;
  readonly planned: PlannedClass;
}

export interface Played {
  /** Nodes by their index, with the pods that came. */
  readonly podsByNode: ReadonlyMap<number, readonly Pod[]>;
  readonly leftOver: readonly Pod[];
}

/** Lets nodes become ready, group after group, and kube-scheduler place what waits before the next one. */
export function play(
  model: SchedulerModel,
  queue: readonly QueuedPod[],
  joins: readonly (readonly number[])[],
  random: Random,
): Played {
  const podsByNode = new Map<number, Pod[]>();
  let waiting = queue;
  for (const group of joins) {
    for (const index of group) model.join(index);
    waiting = placeAll(model, waiting, random, podsByNode);
  }
  model.reset();
  return { podsByNode, leftOver: waiting.map(({ pod }) => pod) };
}

function placeAll(
  model: SchedulerModel,
  queue: readonly QueuedPod[],
  random: Random,
  podsByNode: Map<number, Pod[]>,
): readonly QueuedPod[] {
  let waiting = queue;
  for (let before = -1; waiting.length !== before; ) {
    before = waiting.length;
    const refused = new Set<PlannedClass>();
    waiting = waiting.filter(({ planned, pod }) => {
      const index = refused.has(planned) ? undefined : model.schedule(planned, pod, random);
      if (index === undefined) {
        refused.add(planned);
        return true;
      }
      const there = podsByNode.get(index);
      if (there) there.push(pod);
      else podsByNode.set(index, [pod]);
      return false;
    });
    // A pod that has come may let in others only where they look at what is elsewhere.
    if (waiting.every(({ planned }) => model.isLocal(planned))) break;
  }
  return waiting;
}
