import type { NodePool } from "../../src/core/model/node-pool.ts";
import type { Pod } from "../../src/core/model/pod.ts";
import type { ProvisioningPlan } from "../../src/core/scheduling/plan.ts";
import { checkHost } from "./check-host.ts";
import { existingHosts, newHost, plannedSites, type Situation, surroundingsOf } from "./check-plan.ts";
import { takenBy } from "./check-purchases.ts";
import { Company, type Site } from "./check-topology.ts";
import { isForSale, type Launch, marketOf } from "./launchable.ts";

/**
 * Refused pods that could be added to the plan as it is, on a node that exists or on a new one of their own. A refusal
 * can be needless without this: when other pods would have had to go elsewhere.
 */
export function needlessRefusals(plan: ProvisioningPlan, situation: Situation): string[] {
  const found: string[] = [];
  // Whether a pod that leaves still counts can be seen either way.
  if ([...situation.snapshot.podsByNode.values()].flat().some(({ isDeleting }) => isDeleting)) return [];
  for (const { pod, refusal } of plan.refusals) {
    if (refusal.kind !== "no-fit") continue;
    const place = placeFor(pod, plan, situation);
    if (place !== undefined) found.push(`${pod.name} is refused but could be on ${place}`);
  }
  return found;
}

function placeFor(pod: Pod, plan: ProvisioningPlan, situation: Situation): string | undefined {
  const sites = plannedSites(plan, situation);
  const placements = situation.snapshot.nodes
    .filter(({ isDeleting }) => !isDeleting)
    .map((node) => ({ node, pods: plan.placements.find((one) => one.node === node)?.pods ?? [] }));
  for (const host of existingHosts({ placements }, situation)) {
    const extended = { ...host, planned: [...host.planned, pod] };
    const site = sites.find(({ labels }) => labels.get("kubernetes.io/hostname") === host.name);
    if (!site || checkHost(extended, situation.snapshot).length > 0) continue;
    if (objections(pod, site, sites, situation) === 0) return host.name;
  }
  for (const launch of launches(pod, situation)) {
    if (!isAffordable(launch, plan, situation)) continue;
    const host = newHost({ pods: [pod], pool: launch.pool }, plan.nodes.length, launch, situation);
    if (checkHost(host, situation.snapshot).length > 0) continue;
    const site: Site = { labels: host.labels, taints: host.taints, bound: [], planned: [] };
    if (objections(pod, site, [...sites, site], situation) === 0)
      return `a new ${launch.type.name} of ${launch.pool.name}`;
  }
  return undefined;
}

function objections(pod: Pod, site: Site, sites: readonly Site[], situation: Situation): number {
  const company = new Company(surroundingsOf(sites, situation));
  for (const one of sites) for (const planned of one.planned) company.settled.push({ pod: planned, site: one });
  return company.objections({ pod, site }, true).length;
}

/** What a plain pool sells. What is reserved, or wants a choice of machines, is more than one pod can decide. */
function launches({ spec }: Pod, { snapshot, settings }: Situation): Launch[] {
  const named = new Map([...spec.nodeSelector].map(([key, value]) => [key, new Set([value])]));
  for (const term of spec.requiredNodeTerms) {
    for (const [key, { values }] of term) named.set(key, new Set([...(named.get(key) ?? []), ...values]));
  }
  return snapshot.nodePools
    .filter(isPlain)
    .flatMap((pool) => marketOf(pool, { named, wellKnown: settings.wellKnownLabels }))
    .filter(({ offering }) => isForSale(offering) && offering.reservationId === undefined);
}

function isPlain({ replicas, unusableBecause, requirements }: NodePool): boolean {
  const isFlexible = [...requirements.values()].some(({ minValues }) => minValues !== undefined);
  return replicas === undefined && unusableBecause === undefined && !isFlexible;
}

function isAffordable(launch: Launch, { nodes }: ProvisioningPlan, { snapshot }: Situation): boolean {
  const { pool } = launch;
  return [...pool.limits].every(([resource, limit]) => {
    const own = snapshot.nodes.filter(({ nodePool, isDeleting }) => nodePool === pool.name && !isDeleting);
    const planned = nodes.filter((node) => node.pool === pool);
    const used = own.length + planned.length;
    if (resource === "nodes") return used + 1 <= limit;
    if (own.length + planned.length > 0) return false; // Whatever they take of it: better no verdict than a wrong one.
    return takenBy(launch, resource) <= limit;
  });
}
