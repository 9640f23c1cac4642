import type { Catalogue } from "./catalogue.ts";
import { type Demand, resourcesOfBounds } from "./demands.ts";
import { hasLabels, satisfies, tolerates } from "./selector.ts";
import { capacityTypeLabel, type NodePool, nodePoolLabel, type PodSpec, zoneLabel } from "./wire.ts";

/** An offering of an instance type that a pool takes. */
export interface Machine {
  readonly zone: string;
  readonly price: number;
  /** By the index of `resourcesOfBounds`. */
  readonly size: readonly number[];
  /** For each demand whether its pods select the machine and tolerate its taints. */
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
  return undominated(allMachines(pools, catalogue, demands));
}

export function allMachines(
  pools: readonly NodePool[],
  catalogue: Catalogue,
  demands: readonly Admission[],
): readonly Machine[] {
  return pools.flatMap((pool) => machinesOf(pool, catalogue, demands));
}

/** The cheapest first. */
export function undominated(machines: readonly Machine[]): readonly Machine[] {
  const total = ({ size }: Machine) => size.reduce((sum, amount) => sum + amount, 0);
  const kept: Machine[] = [];
  for (const machine of machines.toSorted((a, b) => a.price - b.price || total(b) - total(a))) {
    if (!kept.some((other) => isAtLeast(other, machine))) kept.push(machine);
  }
  return kept;
}

/** What pods say about the machines they may run on. */
export type Admission = Pick<PodSpec, "nodeSelector" | "tolerations">;

function machinesOf(pool: NodePool, catalogue: Catalogue, demands: readonly Admission[]): Machine[] {
  const { metadata, spec } = pool.spec.template;
  const toleratesPool = demands.map((demand) => (spec.taints ?? []).every((taint) => tolerates(demand, taint)));
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
      const admits = demands.map(
        ({ nodeSelector = {} }, index) => toleratesPool[index] === true && hasLabels(nodeSelector, all),
      );
      return { zone, price, size, admits };
    });
  });
}

function isAtLeast(one: Machine, other: Machine): boolean {
  return (
    one.size.every((amount, index) => amount >= (other.size[index] ?? 0)) &&
    one.admits.every((isAdmitted, index) => isAdmitted || !other.admits[index])
  );
}
