import type { BudgetBook } from "./budgets.ts";
import type { Machine } from "./machines.ts";
import { type Newcomer, type OpenNode, placeOnOpenNodes, roomFor } from "./open-nodes.ts";
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
    const podsOn = (other: Machine): number => {
      if (other.row.offering.reservationId !== undefined) return 0;
      const room = roomOn(node, machine, other);
      if (room.some((amount) => amount < 0) || !budgets.canExchange(machine, other)) return 0;
      return Math.min(left, roomFor(requests, room));
    };
    const peers = Map.groupBy(world.machines.inGroup(machine.group), ({ isFallback }) => isFallback);
    // A machine that leaves the cloud little choice is better than a pod without a node.
    const larger = mostUseful(peers.get(false) ?? [], podsOn) ?? mostUseful(peers.get(true) ?? [], podsOn);
    if (!larger) continue;
    exchange(node, machine, larger, budgets);
    const before = left;
    left = placeOnOpenNodes(newcomer, left, [node]);
    // Room is not everything: the company on the node may still be wrong.
    if (left === before) exchange(node, larger, machine, budgets);
  }
  return left;
}

/** The machine that gives room to most pods, and the cheapest of those; undefined when none gives room to any. */
function mostUseful(machines: readonly Machine[], podsOn: (machine: Machine) => number): Machine | undefined {
  let best: Machine | undefined;
  let most = 0;
  for (const machine of machines) {
    const count = podsOn(machine);
    if (count < most || count === 0 || (count === most && best && machine.price >= best.price)) continue;
    best = machine;
    most = count;
  }
  return best;
}

function exchange(node: OpenNode, from: Machine, to: Machine, budgets: BudgetBook): void {
  node.room.set(roomOn(node, from, to));
  node.machine = to;
  budgets.sell(from);
  budgets.buy(to);
}

/** What would be left on the node if it were another machine. */
function roomOn({ room }: OpenNode, from: Machine, to: Machine): Float64Array {
  return room.map((amount, index) => amount + to.capacity[index]! - from.capacity[index]!);
}
