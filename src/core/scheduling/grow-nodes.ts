import type { BudgetBook } from "./budgets.ts";
import type { Machine } from "./machines.ts";
import { type Newcomer, type OpenNode, placeOnOpenNodes, type Requests } from "./open-nodes.ts";
import type { World } from "./world.ts";

/**
 * Exchanges planned nodes for larger machines to make room for pods that the limits allow no further node. Returns how
 * many pods are still left.
 */
export function growNodes(newcomer: Newcomer, count: number, world: World, budgets: BudgetBook): number {
  let left = count;
  for (const node of world.openNodes) {
    if (left === 0) break;
    const { machine } = node;
    if (!machine || machine.row.offering.reservationId !== undefined || !newcomer.isWelcomeOn(node)) continue;
    const requests = newcomer.requestsOn(node.poolName);
    const larger = mostUseful(world.machines.inGroup(machine.group), (other) => {
      const most = Math.min(left, podsAfterExchange(requests, node.room, machine, other));
      return most > 0 && budgets.canExchange(machine, other) ? most : 0;
    });
    if (!larger) continue;
    exchange(node, machine, larger, budgets);
    const before = left;
    left = placeOnOpenNodes(newcomer, left, [node]);
    // Room is not everything: the company on the node may still be wrong.
    if (left === before) exchange(node, larger, machine, budgets);
  }
  return left;
}

/**
 * The machine that gives room to most pods, and the cheapest of those; undefined when none gives room to any. One that
 * leaves the cloud little choice is taken when no other will do: it is better than a pod without a node.
 */
function mostUseful(machines: readonly Machine[], podsOn: (machine: Machine) => number): Machine | undefined {
  let best: Machine | undefined;
  let most = 0;
  for (const machine of machines) {
    if (machine.row.offering.reservationId !== undefined || (best && machine.isFallback && !best.isFallback)) continue;
    const count = podsOn(machine);
    if (count === 0) continue;
    const isBetter = !best || (best.isFallback && !machine.isFallback) || count > most;
    if (!isBetter && (count < most || machine.price >= best!.price)) continue;
    best = machine;
    most = count;
  }
  return best;
}

/** How many pods a node would have room for if it were another machine; 0 when it could not hold what it has. */
function podsAfterExchange(requests: Requests, room: Float64Array, from: Machine, to: Machine): number {
  let most = Number.MAX_SAFE_INTEGER;
  for (let index = 0; index < room.length; index++) {
    const left = room[index]! + to.capacity[index]! - from.capacity[index]!;
    if (left < 0) return 0;
    if (requests[index]! > 0) most = Math.min(most, Math.floor(left / requests[index]!));
  }
  return most;
}

function exchange(node: OpenNode, from: Machine, to: Machine, budgets: BudgetBook): void {
  for (let index = 0; index < node.room.length; index++)
    node.room[index]! += to.capacity[index]! - from.capacity[index]!;
  node.machine = to;
  budgets.sell(from);
  budgets.buy(to);
}
