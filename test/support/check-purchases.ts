import { capacityTypeLabel, zoneLabel } from "../../src/core/model/labels.ts";
import type { Node } from "../../src/core/model/node.ts";
import type { NodePool } from "../../src/core/model/node-pool.ts";
import { acceptsAbsence, has } from "../../src/core/model/requirements.ts";
import type { Snapshot } from "../../src/core/model/snapshot.ts";
import type { PlannedNode } from "../../src/core/scheduling/plan.ts";
import { type Launch, launchesOf } from "./launchable.ts";

const hourlyPrice = "karpenter.sh/hourly-price";

/** What is wrong with the machines of a plan as purchases: that they cannot be had, or not all of them. */
export function checkPurchases(nodes: readonly PlannedNode[], snapshot: Snapshot): string[] {
  return [
    ...nodes.flatMap((node, index) => checkChoice(node, `new-${index}`)),
    ...snapshot.nodePools.flatMap((pool) => checkLimits(pool, nodes, snapshot.nodes)),
    ...checkReservations(nodes, snapshot),
  ];
}

/** The planned one among the machines that the claim allows. */
export function plannedLaunch(node: PlannedNode): Launch | undefined {
  return launchesOf(node).find(
    ({ type, offering, labels }) =>
      type.name === node.instanceType &&
      labels.get(zoneLabel) === node.zone &&
      labels.get(capacityTypeLabel) === node.capacityType &&
      offering.reservationId === node.reservationId &&
      offering.price === node.price,
  );
}

function checkChoice(node: PlannedNode, name: string): string[] {
  const { pool, instanceTypes } = node;
  const found: string[] = [];
  if (node.pods.length === 0) found.push(`${name} has no pods`);
  if (pool.replicas !== undefined) found.push(`${name} is of the static pool ${pool.name}`);
  if (pool.unusableBecause !== undefined) found.push(`${name} is of the unusable pool ${pool.name}`);
  if (!instanceTypes.includes(node.instanceType)) found.push(`${name} does not list its own type`);
  if (new Set(instanceTypes).size !== instanceTypes.length) found.push(`${name} lists a type twice`);
  if (instanceTypes.length > 600) found.push(`${name} lists ${instanceTypes.length} types`);
  const launches = launchesOf(node);
  if (plannedLaunch(node) === undefined) {
    found.push(
      `${name}: no offering ${node.instanceType} ${node.zone} ${node.capacityType} at ${node.price} for its claim`,
    );
  }
  const cheapest = instanceTypes.map((type) => cheapestOf(launches.filter((launch) => launch.type.name === type)));
  if (cheapest.some((price) => !Number.isFinite(price)))
    found.push(`${name} lists a type that its claim cannot launch`);
  if (cheapest.some((price, index) => price < (cheapest[index - 1] ?? 0)))
    found.push(`${name} does not list the cheapest type first`);
  if (launches.some(({ offering }) => offering.reservationId !== node.reservationId)) {
    found.push(`${name} could be launched from a reservation that it is not planned for, or without its own`);
  }
  return [...found, ...checkPoolRequirements(node, name), ...checkMinValues(node, name)];
}

function cheapestOf(launches: readonly Launch[]): number {
  return Math.min(...launches.map(({ offering }) => offering.price));
}

/** Whatever is launched is what the pool asks for, save for defaults that every pod on the node replaces. */
function checkPoolRequirements(node: PlannedNode, name: string): string[] {
  const found = new Set<string>();
  for (const { labels } of launchesOf(node)) {
    for (const [key, requirement] of node.pool.requirements) {
      const isReplaced =
        node.pool.defaultKeys.has(key) &&
        node.pods.every(
          ({ spec }) => spec.nodeSelector.has(key) || spec.requiredNodeTerms.some((term) => term.has(key)),
        );
      const value = labels.get(key);
      const isMet = value === undefined ? acceptsAbsence(requirement) : has(requirement, value);
      if (!isReplaced && !isMet) found.add(`${name} could have ${key}=${value}, which its pool refuses`);
    }
  }
  return [...found];
}

function checkMinValues(node: PlannedNode, name: string): string[] {
  const found: string[] = [];
  for (const [key, { minValues }] of node.pool.requirements) {
    if (minValues === undefined) continue;
    const values = new Set(
      launchesOf(node)
        .map(({ labels }) => labels.get(key))
        .filter((value) => value !== undefined),
    );
    if (values.size < minValues && !node.isMinValuesRelaxed) {
      found.push(`${name} leaves ${values.size} values of ${key}, its pool asks for ${minValues}`);
    }
  }
  return found;
}

/** Whatever is launched: the largest machine that each claim allows is the one that counts. */
function checkLimits(pool: NodePool, nodes: readonly PlannedNode[], existing: readonly Node[]): string[] {
  const own = nodes.filter((node) => node.pool === pool);
  if (own.length === 0) return [];
  return [...pool.limits].flatMap(([resource, limit]) => {
    const current = existing.filter(({ nodePool, isDeleting }) => nodePool === pool.name && !isDeleting);
    const used = current.reduce((sum, node) => sum + usedByNode(node, resource), 0);
    const planned = own.reduce(
      (sum, node) => sum + Math.max(0, ...launchesOf(node).map((launch) => takenBy(launch, resource))),
      0,
    );
    if (planned === 0 || used + planned <= limit) return [];
    return [`pool ${pool.name} may have ${limit} of ${resource} but has ${used} and could get ${planned}`];
  });
}

function usedByNode(node: Node, resource: string): number {
  if (resource === "nodes") return 1;
  return resource === hourlyPrice ? millionths(node.price ?? 0) : (node.capacity.get(resource) ?? 0);
}

export function takenBy({ type, offering }: Pick<Launch, "type" | "offering">, resource: string): number {
  if (resource === "nodes") return 1;
  return resource === hourlyPrice ? millionths(offering.price) : (type.capacity.get(resource) ?? 0);
}

function millionths(dollars: number): number {
  return Math.round(dollars * 1e6);
}

function checkReservations(nodes: readonly PlannedNode[], { nodePools }: Snapshot): string[] {
  const taken = new Map<string, number>();
  for (const { reservationId } of nodes) {
    if (reservationId !== undefined) taken.set(reservationId, (taken.get(reservationId) ?? 0) + 1);
  }
  const offerings = nodePools.flatMap(({ instanceTypes }) => instanceTypes.flatMap((type) => type.offerings));
  return [...taken].flatMap(([id, count]) => {
    const shares = offerings
      .filter(({ reservationId }) => reservationId === id)
      .map((one) => one.reservationCapacity ?? 0);
    const left = Math.min(...shares);
    return count <= left ? [] : [`reservation ${id} has ${left} machines left but ${count} are planned`];
  });
}
