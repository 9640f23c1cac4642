import type { Pod } from "kubernetes-types/core/v1.js";
import { feasibleNodes } from "../../../src/embedded/scheduler/scheduler.ts";
import { type ClusterObject, SchedulerCache } from "../../../src/embedded/scheduler/scheduler-cache.ts";
import type { Dice } from "../scheduler/dice.ts";

/** A pod, and the node that the plan puts it on. */
export interface Move {
  readonly pod: Pod;
  readonly nodeName: string;
}

export interface BindingOrder {
  /** Each can be made when those before it have been. */
  readonly moves: readonly Move[];
  /** Those that could not be made, in any order that was tried. */
  readonly stuck: readonly Move[];
}

const mostTries = 50;

/**
 * An order in which the pods can come to their nodes one by one, by our own scheduler, which is quick to ask. When the
 * first that offers itself leaves pods without their place, others are tried at random.
 */
export function findBindingOrder(objects: readonly ClusterObject[], moves: readonly Move[], dice: Dice): BindingOrder {
  let best: BindingOrder = { moves: [], stuck: moves };
  for (let tries = 0; tries < mostTries && best.stuck.length > 0; tries++) {
    const wanted = tries === 0 ? moves : shuffle(moves, dice);
    const order = bindInTurn(objects, wanted);
    if (tries === 0 || order.stuck.length < best.stuck.length) best = order;
  }
  return best;
}

function bindInTurn(objects: readonly ClusterObject[], wanted: readonly Move[]): BindingOrder {
  const cache = new SchedulerCache();
  for (const object of objects) cache.set(object);
  const moves: Move[] = [];
  const waiting = [...wanted];
  for (let index = 0; index < waiting.length; ) {
    const move = waiting[index]!;
    if (!feasibleNodes(cache, move.pod).includes(move.nodeName)) {
      index++;
      continue;
    }
    cache.set(bound(move));
    moves.push(move);
    waiting.splice(index, 1);
    index = 0;
  }
  return { moves, stuck: waiting };
}

export function bound({ pod, nodeName }: Move): Pod {
  return { ...pod, spec: { ...pod.spec, containers: pod.spec?.containers ?? [], nodeName } };
}

function shuffle<T>(items: readonly T[], dice: Dice): T[] {
  const keyed = items.map((item) => ({ item, position: dice.next() }));
  return keyed.sort((a, b) => a.position - b.position).map(({ item }) => item);
}
