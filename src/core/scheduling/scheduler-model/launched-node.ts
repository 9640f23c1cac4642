import { decidedLabels } from "../../model/join-node.ts";
import { capacityTypeLabel, hostnameLabel, instanceTypeLabel, nodePoolLabel, zoneLabel } from "../../model/labels.ts";
import type { Node } from "../../model/node.ts";
import { findInstanceType } from "../../model/node-price.ts";
import { noResources } from "../../model/resources.ts";
import type { PlannedNode } from "../plan.ts";

/** The node that a planned one becomes when the machine is launched that the plan has chosen. */
export function launchedNode(planned: PlannedNode, name: string): Node {
  const { pool, instanceType, zone, capacityType, reservationId, requirements, price } = planned;
  const type = findInstanceType(pool.instanceTypes, instanceType);
  const offering = type?.offerings.find(
    (one) =>
      one.reservationId === reservationId &&
      one.requirements.get(zoneLabel)?.values.has(zone) === true &&
      one.requirements.get(capacityTypeLabel)?.values.has(capacityType) === true,
  );
  return {
    name,
    labels: new Map([
      ...decidedLabels(type?.requirements ?? new Map()),
      ...decidedLabels(offering?.requirements ?? new Map()),
      ...decidedLabels(requirements),
      ...pool.labels,
      [nodePoolLabel, pool.name],
      [instanceTypeLabel, instanceType],
      [zoneLabel, zone],
      [capacityTypeLabel, capacityType],
      [hostnameLabel, name],
    ]),
    taints: pool.taints,
    capacity: new Map(type?.capacity ?? noResources).set("nodes", 1),
    allocatable: offering?.allocatable ?? type?.allocatable ?? noResources,
    nodePool: pool.name,
    isInitialized: false,
    isDeleting: false,
    volumeLimits: noResources,
    price,
  };
}

/** No name of a node has such characters. */
export function launchedName(index: number): string {
  return `new/${index}`;
}
