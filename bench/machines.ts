import type { Catalogue } from "./catalogue.ts";
import { type Demand, resourcesOfBounds } from "./demands.ts";
import { hasLabels, satisfies } from "./selector.ts";
import { capacityTypeLabel, type NodePool, nodePoolLabel, zoneLabel } from "./wire.ts";

/** An offering of an instance type that a pool takes. */
export interface Machine {
  readonly price: number;
  /** By the index of `resourcesOfBounds`. */
  readonly size: readonly number[];
  /** For each demand whether its pods' node selectors allow the machine. */
  readonly admits: readonly boolean[];
}

/**
 * What a cheapest purchase can be made of. A machine is left out when another one admits whatever it admits, has at least
 * as much of everything, and costs no more: exchanging the one for the other spoils nothing.
 */
export function machinesFor(
  pools: readonly NodePool[],
  catalogue: Catalogue,
  demands: readonly Demand[],
): readonly Machine[] {
  const machines = pools.flatMap((pool) => machinesOf(pool, catalogue, demands));
  const total = ({ size }: Machine) => size.reduce((sum, amount) => sum + amount, 0);
  const kept: Machine[] = [];
  for (const machine of machines.sort((a, b) => a.price - b.price || total(b) - total(a))) {
    if (!kept.some((other) => isAtLeast(other, machine))) kept.push(machine);
  }
  return kept;
}

function machinesOf(pool: NodePool, catalogue: Catalogue, demands: readonly Demand[]): Machine[] {
  const { metadata, spec } = pool.spec.template;
  return [...catalogue.values()].flatMap(({ labels, allocatable, offers }) => {
    const size = resourcesOfBounds.map(({ resource, unit }) => (allocatable.get(resource) ?? 0) / unit);
    if (size.some((amount) => amount <= 0)) return [];
    return offers.flatMap(({ zone, capacityType, price }) => {
      const all = {
        ...labels,
        ...metadata?.labels,
        [zoneLabel]: zone,
        [capacityTypeLabel]: capacityType,
        [nodePoolLabel]: pool.metadata.name,
      };
      if (!(spec.requirements ?? []).every((requirement) => satisfies(requirement, all))) return [];
      return { price, size, admits: demands.map(({ nodeSelector }) => hasLabels(nodeSelector, all)) };
    });
  });
}

function isAtLeast(one: Machine, other: Machine): boolean {
  return (
    one.size.every((amount, index) => amount >= (other.size[index] ?? 0)) &&
    one.admits.every((isAdmitted, index) => isAdmitted || !other.admits[index])
  );
}
