import type { InstanceType, Offering } from "../../model/instance-type.ts";
import { archLabel, capacityTypeLabel, osLabel, zoneLabel } from "../../model/labels.ts";
import { findInstanceType } from "../../model/node-price.ts";
import type { Pod } from "../../model/pod.ts";
import { makeRequirement } from "../../model/requirements.ts";
import { addResources, fits, noResources, type Resources, subtractResources } from "../../model/resources.ts";
import type { Snapshot } from "../../model/snapshot.ts";
import { minValuesOf, namedTypes, unmetMinValues } from "../min-values.ts";
import type { PlannedNode, ProvisioningPlan } from "../plan.ts";
import { planProvisioning } from "../provisioning.ts";
import type { PlanSettings } from "../settings.ts";
import { launchedName, launchedNode } from "./launched-node.ts";

/**
 * Gives every pod of a plan a place such that all of them fit together, its own where it can stay there: after pods were
 * moved one by one, rules about spread may be broken. Nodes that nobody needs are left out.
 */
export function settlePods(plan: ProvisioningPlan, snapshot: Snapshot, settings: PlanSettings): ProvisioningPlan {
  const nodes = plan.nodes.map((node, index) => launchedNode(node, launchedName(index)));
  const homes = [
    ...plan.placements.map(({ node, pods }) => ({ name: node.name, pods })),
    ...plan.nodes.map(({ pods }, index) => ({ name: launchedName(index), pods })),
  ];
  const hints = new Map(homes.flatMap(({ name, pods }) => pods.map(({ uid }) => [uid, name] as const)));
  const { placements, refusals } = planProvisioning(
    { ...snapshot, nodePools: [], nodes: [...snapshot.nodes, ...nodes] },
    homes.flatMap(({ pods }) => pods),
    { ...settings, hints },
  );
  const podsOf = new Map(placements.map(({ node, pods }) => [node.name, [...pods]]));
  for (const { pod } of refusals) {
    const home = hints.get(pod.uid)!;
    podsOf.set(home, [...(podsOf.get(home) ?? []), pod]);
  }
  const settled = plan.nodes.flatMap((node, index) => {
    const pods = podsOf.get(launchedName(index));
    return pods === undefined ? [] : [withPods(node, pods)];
  });
  return {
    ...plan,
    nodes: settled,
    placements: snapshot.nodes.flatMap((node) => {
      const pods = podsOf.get(node.name);
      return pods === undefined ? [] : [{ node, pods }];
    }),
    costPerHour: settled.reduce((sum, { price }) => sum + price, 0),
  };
}

/** The planned node with other pods. What it was not planned for is only known to fit on what is like its machine. */
export function withPods(node: PlannedNode, pods: readonly Pod[]): PlannedNode {
  const requests = addResources(subtractResources(node.requests, requestsOf(node.pods)), requestsOf(pods));
  const own = new Set(node.pods);
  if (pods.every((pod) => own.has(pod))) return { ...node, pods, requests };
  const { pool, zone, capacityType } = node;
  const planned = findInstanceType(pool.instanceTypes, node.instanceType);
  const instanceTypes = node.instanceTypes.filter((name) => {
    const type = findInstanceType(pool.instanceTypes, name);
    if (type === undefined || planned === undefined || type === planned) return type === planned;
    return isLike(type, planned, requests) && type.offerings.some((offering) => isOfferedAs(offering, node));
  });
  const isChoiceEnough = unmetMinValues(minValuesOf(pool), namedTypes(pool, instanceTypes)) === undefined;
  // Whoever demands more choice than that gets it, and another plan if pods do not fit.
  if (!isChoiceEnough && !node.isMinValuesRelaxed) return { ...node, pods, requests };
  const requirements = new Map(node.requirements)
    .set(zoneLabel, makeRequirement("In", [zone]))
    .set(capacityTypeLabel, makeRequirement("In", [capacityType]));
  return { ...node, pods, requests, instanceTypes, requirements };
}

function requestsOf(pods: readonly Pod[]): Resources {
  return pods.reduce((sum, { spec }) => addResources(sum, spec.requests), noResources);
}

function isOfferedAs({ isAvailable, requirements, reservationId }: Offering, node: PlannedNode): boolean {
  return (
    isAvailable &&
    reservationId === node.reservationId &&
    requirements.get(zoneLabel)?.values.has(node.zone) === true &&
    requirements.get(capacityTypeLabel)?.values.has(node.capacityType) === true
  );
}

function isLike(type: InstanceType, planned: InstanceType, requests: Resources): boolean {
  const isSame = (key: string): boolean =>
    `${[...(type.requirements.get(key)?.values ?? [])]}` === `${[...(planned.requirements.get(key)?.values ?? [])]}`;
  return isSame(archLabel) && isSame(osLabel) && fits(requests, type.allocatable);
}
