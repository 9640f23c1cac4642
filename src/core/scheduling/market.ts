import type { Cell } from "./assign-domains.ts";
import type { BudgetBook } from "./budgets.ts";
import type { GroupSet } from "./group-set.ts";
import { HostState } from "./host-state.ts";
import type { Lot, LotPart, MachineChoice } from "./lots.ts";
import type { Machine } from "./machines.ts";
import type { HostRules } from "./packing/problem.ts";
import type { StagedClass, World } from "./world.ts";

/** What a lot asks of the machines that may be bought for it. */
interface Wish {
  readonly allowedGroups: GroupSet;
  readonly requests: readonly Float64Array[];
}

/** Finds the machines that may be bought for pods: of the first pool that has any, in the right topology domain. */
export class Market {
  readonly world: World;
  private readonly budgets: BudgetBook;
  private readonly cellOfGroup: Int32Array;
  private readonly cellCount: number;
  private readonly choices = new Map<string, MachineChoice>();
  /** By allowed groups and cell; all of them without a cell. */
  private readonly machinesBySet = new Map<GroupSet, Map<number | undefined, Machine[]>>();

  constructor(world: World, budgets: BudgetBook) {
    this.world = world;
    this.budgets = budgets;
    const cells = new Map<string, number>();
    this.cellOfGroup = Int32Array.from(world.groups, ({ labels }) => {
      const name = JSON.stringify(world.topologyKeys.map((key) => labels.get(key) ?? null));
      const cell = cells.get(name) ?? cells.size;
      cells.set(name, cell);
      return cell;
    });
    this.cellCount = cells.size;
  }

  /** Undefined when no machine could hold such a pod. */
  lot(staged: StagedClass, count: number, cell: Cell | undefined, minRank: number): Lot | undefined {
    return this.bundle([{ staged, count: 1 }], count, cell, minRank);
  }

  /** The same for pods that have to share a host. */
  bundle(parts: readonly LotPart[], count: number, cell: Cell | undefined, minRank: number): Lot | undefined {
    if (!canShareHost(parts)) return undefined;
    const wish = this.wishOf(parts);
    const choice = this.choose(wish, cell?.index, minRank)?.choice;
    if (!choice) return undefined;
    return { parts, count, requests: wish.requests, choice, host: hostRulesOf(parts), cell };
  }

  /** The topology domains where pods that share a node could be bought one, of the first pool that offers them. */
  cellsFor(parts: readonly LotPart[], minRank: number): Cell[] {
    const wish = this.wishOf(parts);
    const cells: Cell[] = [];
    for (let index = 0; index < this.cellCount; index++) {
      const found = this.choose(wish, index, minRank);
      if (!found) continue;
      const { labels, catalogue } = found.cheapest.group;
      cells.push({
        index,
        place: { labels, taints: catalogue.pool.taints },
        cost: found.cost,
        poolRank: found.choice.poolRank,
      });
    }
    return cells;
  }

  /** Whether a pod of the host group is on an open node. */
  isHosted(hostGroup: number): boolean {
    return this.world.isHosted(hostGroup);
  }

  private wishOf(parts: readonly LotPart[]): Wish {
    const [first] = parts;
    if (parts.length === 1 && first!.count === 1) return first!.staged;
    const groups = this.world.groups.filter((group) => parts.every(({ staged }) => staged.allowedGroups.has(group)));
    const requests = first!.staged.requests.map((table, profile) =>
      table.map((_, resource) =>
        parts.reduce((sum, { staged, count }) => sum + staged.requests[profile]![resource]! * count, 0),
      ),
    );
    return { allowedGroups: this.world.groupSets.of(groups), requests };
  }

  /** The machines of the groups that a wish allows; those made for pods that name them only where there are no others. */
  private machinesFor({ allowedGroups }: Wish, cell: number | undefined): readonly Machine[] {
    let byCell = this.machinesBySet.get(allowedGroups);
    if (!byCell) {
      const groups = this.world.groups.filter((group) => allowedGroups.has(group) && group.rows.length > 0);
      const unnamed = groups.filter(({ isSpecific }) => !isSpecific);
      const machines = (unnamed.length > 0 ? unnamed : groups).flatMap((group) => this.world.machines.inGroup(group));
      byCell = Map.groupBy(machines, ({ group }): number | undefined => this.cellOfGroup[group.index]);
      byCell.set(undefined, machines);
      this.machinesBySet.set(allowedGroups, byCell);
    }
    return byCell.get(cell) ?? [];
  }

  private choose(
    wish: Wish,
    cell: number | undefined,
    minRank: number,
  ): { choice: MachineChoice; cheapest: Machine; cost: number } | undefined {
    // For each pool the best way to serve the wish: reserved machines, ordinary ones, and those of last resort.
    let bestRank = Number.POSITIVE_INFINITY;
    let bestTier: Tier = "fallback";
    let cheapest: Machine | undefined;
    let cost = Number.POSITIVE_INFINITY;
    const isStrict = this.world.settings.reservedCapacity === "Strict";
    // Where few nodes are looked for, a machine that is too large for the whole batch is paid for all the same.
    const isSparing = this.world.settings.pricePerNode > 0;
    const leastShare = isSparing ? shareOf(wish.requests[0]!, this.world.batchRequests) : 0;
    for (const machine of this.machinesFor(wish, cell)) {
      const { group } = machine;
      if (group.poolRank < minRank || group.poolRank > bestRank) continue;
      const share = shareOf(wish.requests[this.world.profileOf(group.catalogue.pool.name)]!, machine.capacity);
      if (share > 1) continue;
      const tier = tierOf(machine, isStrict);
      // Pods wait for a reservation that others have taken, but not for a pool at its limits.
      if (!(tier === "reserved" ? this.budgets.isWithinLimits(machine) : this.budgets.canAfford(machine))) continue;
      const isBetterTier = group.poolRank < bestRank || tierOrder[tier] < tierOrder[bestTier];
      if (!isBetterTier && tierOrder[tier] > tierOrder[bestTier]) continue;
      const ownCost = machine.price * Math.max(share, leastShare);
      if (isBetterTier || ownCost < cost) {
        bestRank = group.poolRank;
        bestTier = tier;
        cheapest = machine;
        cost = ownCost;
      }
    }
    return cheapest && { choice: this.choiceOf(wish, cell, bestRank, bestTier), cheapest, cost };
  }

  private choiceOf(wish: Wish, cell: number | undefined, poolRank: number, tier: Tier): MachineChoice {
    const name = `${wish.allowedGroups.key}|${cell}|${poolRank}|${tier}`;
    const known = this.choices.get(name);
    if (known) return known;
    const isStrict = this.world.settings.reservedCapacity === "Strict";
    const machines = this.machinesFor(wish, cell).filter((machine) => {
      if (machine.group.poolRank !== poolRank) return false;
      const own = tierOf(machine, isStrict);
      return tier === "reserved" ? own === "reserved" : tierOrder[own] <= tierOrder[tier];
    });
    const choice = { poolRank, isReserved: tier === "reserved", machines };
    this.choices.set(name, choice);
    return choice;
  }
}

type Tier = "reserved" | "ordinary" | "fallback";

const tierOrder: Readonly<Record<Tier, number>> = { reserved: 0, ordinary: 1, fallback: 2 };

function tierOf(machine: Machine, isStrict: boolean): Tier {
  if (isStrict && machine.row.offering.reservationId !== undefined) return "reserved";
  return machine.isFallback ? "fallback" : "ordinary";
}

/** The share of a machine that the requests take, more than 1 when they do not fit. */
function shareOf(requests: Float64Array, capacity: Float64Array): number {
  let share = 0;
  for (let index = 0; index < requests.length; index++) {
    if (requests[index]! > 0) share = Math.max(share, requests[index]! / capacity[index]!);
  }
  return share;
}

/** Whether the rules of the pods let them be on one host together. */
function canShareHost(parts: readonly LotPart[]): boolean {
  if (parts.length === 1 && parts[0]!.count === 1) return true;
  const host = new HostState();
  return parts.every(({ staged: { rules }, count }) => {
    if (!rules.host) return true;
    const isRoom = host.room(rules.host) >= count;
    host.add(rules.host, count);
    return isRoom;
  });
}

function hostRulesOf(parts: readonly LotPart[]): HostRules | undefined {
  if (parts.length === 1 && parts[0]!.count === 1) return parts[0]!.staged.rules.host;
  const rules = parts.map(({ staged }) => staged.rules.host).filter((host) => host !== undefined);
  if (rules.length === 0) return undefined;
  return {
    memberOf: parts.flatMap(({ staged, count }) =>
      Array.from({ length: count }, () => staged.rules.host?.memberOf ?? []).flat(),
    ),
    caps: rules.flatMap(({ caps }) => caps),
    refuses: rules.flatMap(({ refuses }) => refuses),
    owns: rules.flatMap(({ owns }) => owns),
    bounds: rules.flatMap(({ bounds }) => bounds),
  };
}
