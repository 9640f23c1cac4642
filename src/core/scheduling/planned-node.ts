import type { Pod } from "../model/pod.ts";
import { addResources } from "../model/resources.ts";
import type { AlternativeFinder } from "./alternatives.ts";
import { lowerMinValues, minValuesOf, namedTypes, unmetMinValues } from "./min-values.ts";
import type { OpenNode } from "./open-nodes.ts";
import type { PlannedNode } from "./plan.ts";

/** Describes a new node with everything else that could be launched in its place. */
export function plannedNode(
  open: OpenNode,
  pods: readonly Pod[],
  resources: readonly string[],
  finder: AlternativeFinder,
): PlannedNode {
  const machine = open.machine!;
  const { group, row } = machine;
  const { pool } = group.catalogue;
  const { instanceTypes, requirements } = finder.find(open, machine);
  const demands = minValuesOf(pool);
  const types = demands.length > 0 ? namedTypes(pool, instanceTypes) : [];
  const isMinValuesRelaxed = unmetMinValues(demands, types) !== undefined;
  const used = new Map(resources.map((resource, index) => [resource, machine.capacity[index]! - open.room[index]!]));
  return {
    pool,
    instanceType: row.type.name,
    zone: row.zone,
    capacityType: row.capacityType,
    reservationId: row.offering.reservationId,
    price: row.offering.price,
    pods,
    requests: addResources(machine.overhead.requests, used),
    instanceTypes,
    requirements: isMinValuesRelaxed ? lowerMinValues(requirements, types) : requirements,
    isMinValuesRelaxed,
  };
}
