import type { Node } from "../model/node.ts";
import type { NodePool } from "../model/node-pool.ts";
import type { Machine } from "./machines.ts";
import type { BudgetUse } from "./packing/problem.ts";

export const hourlyPriceLimit = "karpenter.sh/hourly-price";

/** Limits are kept in millionths of a dollar. */
const perDollar = 1e6;

/** What may still be bought: pool limits and machines left in reservations, each with what a machine takes of it. */
export class BudgetBook {
  readonly remaining: Float64Array;
  private readonly limits: ReadonlyMap<string, readonly { readonly resource: string; readonly budget: number }[]>;
  private readonly reservations: ReadonlyMap<string, number>;
  private readonly uses = new Map<Machine, readonly BudgetUse[]>();
  private readonly names: readonly { readonly pool: string; readonly resource: string }[];
  private hasRefused = false;

  constructor(pools: readonly NodePool[], nodes: readonly Node[]) {
    const remaining: number[] = [];
    const names: { pool: string; resource: string }[] = [];
    const limits = new Map<string, { resource: string; budget: number }[]>();
    for (const pool of pools) {
      const own = nodes.filter((node) => node.nodePool === pool.name && !node.isDeleting);
      const entries = [...pool.limits].map(([resource, limit]) => {
        remaining.push(limit - own.reduce((sum, node) => sum + usedByNode(node, resource), 0));
        names.push({ pool: pool.name, resource });
        return { resource, budget: remaining.length - 1 };
      });
      limits.set(pool.name, entries);
    }
    const reservations = new Map<string, number>();
    for (const [id, capacity] of reservationCapacities(pools)) {
      reservations.set(id, remaining.length);
      remaining.push(capacity);
      names.push({ pool: "", resource: id });
    }
    this.remaining = Float64Array.from(remaining);
    this.names = names;
    this.limits = limits;
    this.reservations = reservations;
  }

  /** What one of the machine takes of each budget. */
  usesOf(machine: Machine): readonly BudgetUse[] {
    let uses = this.uses.get(machine);
    if (!uses) {
      const { group, row } = machine;
      const { reservationId } = row.offering;
      const limits = this.limits.get(group.catalogue.pool.name)!;
      const reservation = reservationId === undefined ? undefined : this.reservations.get(reservationId);
      uses = [
        ...limits.map(({ resource, budget }) => ({ budget, amount: usedByMachine(row, resource) })),
        ...(reservation === undefined ? [] : [{ budget: reservation, amount: 1 }]),
      ];
      this.uses.set(machine, uses);
    }
    return uses;
  }

  get isEmpty(): boolean {
    return this.remaining.length === 0;
  }

  /** Whether some machine could not be had because of what is left. */
  get hasRunShort(): boolean {
    return this.hasRefused;
  }

  canAfford(machine: Machine): boolean {
    const isAffordable = this.usesOf(machine).every(({ budget, amount }) => amount <= this.remaining[budget]!);
    if (!isAffordable) this.hasRefused = true;
    return isAffordable;
  }

  /** Whether the pool's limits leave room for the machine, whatever is left of its reservation. */
  isWithinLimits(machine: Machine): boolean {
    return this.usesOf(machine).every(
      ({ budget, amount }) => this.names[budget]!.pool === "" || amount <= this.remaining[budget]!,
    );
  }

  /** Whether one machine could be had in the place of another that has been bought. */
  canExchange(bought: Machine, other: Machine): boolean {
    this.sell(bought);
    const isAffordable = this.canAfford(other);
    this.buy(bought);
    return isAffordable;
  }

  buy(machine: Machine): void {
    for (const { budget, amount } of this.usesOf(machine)) this.remaining[budget]! -= amount;
  }

  sell(machine: Machine): void {
    for (const { budget, amount } of this.usesOf(machine)) this.remaining[budget]! += amount;
  }

  /** The first limit of the machine's pool that it would break. */
  brokenBy(machine: Machine): { resource: string; remaining: number } | undefined {
    const broken = this.usesOf(machine).find(({ budget, amount }) => amount > this.remaining[budget]!);
    return broken && { resource: this.names[broken.budget]!.resource, remaining: this.remaining[broken.budget]! };
  }

  /** What is left of a pool's limit on a resource, undefined without one. */
  remainingOf(pool: string, resource: string): number | undefined {
    const index = this.names.findIndex((name) => name.pool === pool && name.resource === resource);
    return index < 0 ? undefined : this.remaining[index];
  }
}

/** Machines left in each reservation. Where pools or types disagree about it, the least is believed. */
function reservationCapacities(pools: readonly NodePool[]): ReadonlyMap<string, number> {
  const capacities = new Map<string, number>();
  for (const { instanceTypes } of pools) {
    for (const { offerings } of instanceTypes) {
      for (const { reservationId, reservationCapacity = 0 } of offerings) {
        if (reservationId === undefined) continue;
        capacities.set(
          reservationId,
          Math.min(capacities.get(reservationId) ?? reservationCapacity, reservationCapacity),
        );
      }
    }
  }
  return capacities;
}

export function usedByNode(node: Node, resource: string): number {
  if (resource === "nodes") return 1;
  if (resource === hourlyPriceLimit) return Math.round((node.price ?? 0) * perDollar);
  return node.capacity.get(resource) ?? 0;
}

export function usedByMachine(row: Machine["row"], resource: string): number {
  if (resource === "nodes") return 1;
  if (resource === hourlyPriceLimit) return Math.round(row.offering.price * perDollar);
  return row.type.capacity.get(resource) ?? 0;
}
