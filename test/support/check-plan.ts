import { hostnameLabel } from "../../src/core/model/labels.ts";
import type { Node } from "../../src/core/model/node.ts";
import type { NodePool } from "../../src/core/model/node-pool.ts";
import type { Pod, PodSpec } from "../../src/core/model/pod.ts";
import type { NodeTerm } from "../../src/core/model/requirements.ts";
import type { Resources } from "../../src/core/model/resources.ts";
import type { Snapshot } from "../../src/core/model/snapshot.ts";
import type { PlannedNode, ProvisioningPlan } from "../../src/core/scheduling/plan.ts";
import type { PlanSettings } from "../../src/core/scheduling/settings.ts";
import { add, checkHost, daemonsOn, type Host } from "./check-host.ts";
import { checkPurchases, plannedLaunch } from "./check-purchases.ts";
import { checkTopology, type Site, type Surroundings } from "./check-topology.ts";
import { type Launch, launchesOf, marketOf } from "./launchable.ts";

/** What a plan was made for. */
export interface Situation {
  readonly snapshot: Snapshot;
  readonly pending: readonly Pod[];
  readonly settings: Pick<PlanSettings, "wellKnownLabels" | "requestsFor">;
}

/**
 * Everything that is wrong with a plan, worked out from what Kubernetes and the pools demand and without the planner's
 * help. Preferences are not looked at. Slow: for small clusters.
 */
export function checkPlan(plan: ProvisioningPlan, situation: Situation): string[] {
  const { snapshot } = situation;
  const found = [...checkCensus(plan, situation), ...checkPurchases(plan.nodes, snapshot), ...checkTotals(plan)];
  for (const host of existingHosts(plan, situation)) found.push(...checkHost(host, snapshot));
  plan.nodes.forEach((node, index) => {
    for (const launch of launchesOf(node)) found.push(...checkHost(newHost(node, index, launch, situation), snapshot));
    if (plannedLaunch(node)) found.push(...checkRequests(node, index, situation));
  });
  for (const sites of arrangements(plan, situation)) found.push(...checkTopology(surroundingsOf(sites, situation)));
  return [...new Set(found)];
}

/** Every pending pod is in exactly one place, and every node is one of ours. */
function checkCensus(plan: ProvisioningPlan, { snapshot, pending }: Situation): string[] {
  const found: string[] = [];
  const waiting = new Set(pending.map(keyOf));
  const seen = new Set<string>();
  const placed = [...plan.nodes.flatMap(({ pods }) => pods), ...plan.placements.flatMap(({ pods }) => pods)];
  for (const pod of [...placed, ...plan.refusals.map(({ pod }) => pod)]) {
    if (!waiting.has(keyOf(pod))) found.push(`${pod.name} is planned for but does not wait`);
    if (seen.has(keyOf(pod))) found.push(`${pod.name} is planned for twice`);
    seen.add(keyOf(pod));
  }
  for (const pod of pending) if (!seen.has(keyOf(pod))) found.push(`${pod.name} is forgotten`);
  for (const { node, pods } of plan.placements) {
    if (!snapshot.nodes.includes(node)) found.push(`${node.name} does not exist`);
    if (node.isDeleting) found.push(`${node.name} is being deleted`);
    if (pods.length === 0) found.push(`${node.name} is named without pods`);
  }
  for (const { pool } of plan.nodes)
    if (!snapshot.nodePools.includes(pool)) found.push(`pool ${pool.name} does not exist`);
  return found;
}

function keyOf({ namespace, name }: Pod): string {
  return `${namespace}/${name}`;
}

function checkTotals({ nodes, costPerHour, boundPerHour }: ProvisioningPlan): string[] {
  const found: string[] = [];
  const cost = nodes.reduce((sum, { price }) => sum + price, 0);
  if (Math.abs(cost - costPerHour) > 1e-9 * cost)
    found.push(`the nodes cost ${cost} an hour but ${costPerHour} is stated`);
  const bound = boundPerHour();
  if (!(bound <= costPerHour * (1 + 1e-6) + 1e-9)) found.push(`the bound ${bound} is above the cost ${costPerHour}`);
  return found;
}

export function existingHosts({ placements }: Pick<ProvisioningPlan, "placements">, situation: Situation): Host[] {
  return placements.map(({ node, pods }) => {
    const pool = situation.snapshot.nodePools.find(({ name }) => name === node.nodePool);
    return {
      name: node.name,
      labels: labelsOf(node),
      taints: node.taints,
      allocatable: node.allocatable,
      volumeLimits: node.volumeLimits,
      isNew: false,
      bound: situation.snapshot.podsByNode.get(node.name) ?? [],
      planned: pods,
      requestsOf: requestsOn(pool, situation),
    };
  });
}

function labelsOf({ name, labels }: Node): Map<string, string> {
  return new Map([[hostnameLabel, name], ...labels]);
}

export function newHost(
  node: Pick<PlannedNode, "pods" | "pool">,
  index: number,
  launch: Launch,
  situation: Situation,
): Host {
  const { type, offering, labels, pool } = launch;
  const name = `new-${index}`;
  return {
    name: `${name} (${type.name})`,
    labels: new Map(labels).set(hostnameLabel, name),
    taints: pool.taints,
    allocatable: offering.allocatable ?? type.allocatable,
    volumeLimits: undefined,
    isNew: true,
    bound: [],
    planned: node.pods,
    requestsOf: requestsOn(pool, situation),
  };
}

function requestsOn(pool: NodePool | undefined, { settings }: Situation): (pod: Pod) => Resources {
  return (pod) => settings.requestsFor?.(pod, pool) ?? pod.spec.requests;
}

/** The plan says what its pods and the daemons ask for together. */
function checkRequests(node: PlannedNode, index: number, situation: Situation): string[] {
  const launch = plannedLaunch(node);
  if (launch === undefined) return [];
  const host = newHost(node, index, launch, situation);
  const sums = new Map<string, bigint>();
  for (const daemon of daemonsOn(host, situation.snapshot)) add(sums, daemon.spec.requests);
  for (const pod of node.pods) add(sums, host.requestsOf(pod));
  return [...sums].flatMap(([resource, sum]) => {
    const stated = node.requests.get(resource) ?? 0;
    return BigInt(stated) === sum ? [] : [`new-${index} states ${stated} of ${resource} but its pods ask for ${sum}`];
  });
}

/**
 * The sites of the plan: as planned, and with each new node launched differently, one at a time and all at once. Launches
 * that nobody's topology rules could tell apart are tried once.
 */
function* arrangements(plan: ProvisioningPlan, situation: Situation): Iterable<readonly Site[]> {
  const choices = plan.nodes.map((node, index) => sitesOf(node, index, situation));
  if (choices.some((sites) => sites.length === 0)) return;
  const existing = existingSites(plan, situation);
  const planned = choices.map(([first]) => first!);
  yield [...existing, ...planned];
  for (const [index, sites] of choices.entries()) {
    for (const site of sites.slice(1)) yield [...existing, ...planned.with(index, site)];
  }
  const most = Math.max(0, ...choices.map(({ length }) => length));
  for (let turn = 1; turn < most; turn++) yield [...existing, ...choices.map((sites) => sites[turn % sites.length]!)];
}

/** Every host of the cluster as planned. */
export function plannedSites(plan: ProvisioningPlan, situation: Situation): Site[] {
  return [
    ...existingSites(plan, situation),
    ...plan.nodes.flatMap((node, index) => sitesOf(node, index, situation).slice(0, 1)),
  ];
}

/** The planned launch comes first. */
function sitesOf(node: PlannedNode, index: number, situation: Situation): Site[] {
  const first = plannedLaunch(node);
  const keys = topologyKeysOf(situation);
  const byLook = new Map<string, Site>();
  for (const launch of [...(first ? [first] : []), ...launchesOf(node)]) {
    const { labels, taints, planned } = newHost(node, index, launch, situation);
    const look = JSON.stringify(keys.map((key) => labels.get(key) ?? null));
    if (!byLook.has(look)) byLook.set(look, { labels, taints, bound: [], planned });
  }
  return [...byLook.values()];
}

function existingSites({ placements }: Pick<ProvisioningPlan, "placements">, { snapshot }: Situation): Site[] {
  const planned = new Map(placements.map(({ node, pods }) => [node.name, pods]));
  return snapshot.nodes
    .filter(({ isDeleting }) => !isDeleting)
    .map((node) => ({
      labels: labelsOf(node),
      taints: node.taints,
      bound: snapshot.podsByNode.get(node.name) ?? [],
      planned: planned.get(node.name) ?? [],
    }));
}

/** Keys that rules about company look at, and those that decide which nodes such rules count. */
function topologyKeysOf({ pending, snapshot }: Situation): string[] {
  const keys = new Set<string>();
  for (const { spec } of [...pending, ...[...snapshot.podsByNode.values()].flat()]) {
    const rules = [...spec.podAffinity, ...spec.podAntiAffinity, ...spec.topologySpread];
    for (const { topologyKey } of rules) keys.add(topologyKey);
    if (spec.topologySpread.length > 0) for (const term of termsOf(spec)) for (const key of term.keys()) keys.add(key);
  }
  return [...keys].sort();
}

function termsOf(spec: PodSpec): readonly NodeTerm[] {
  const selector = new Map([...spec.nodeSelector].map(([key, value]) => [key, exactly(value)]));
  return [selector, ...spec.requiredNodeTerms];
}

function exactly(value: string): NodeTerm extends ReadonlyMap<string, infer R> ? R : never {
  return { isComplement: false, values: new Set([value]), atLeast: undefined, atMost: undefined, minValues: undefined };
}

export function surroundingsOf(sites: readonly Site[], situation: Situation): Surroundings {
  const { snapshot } = situation;
  const known = new Map<string, readonly Pick<Site, "labels" | "taints">[]>();
  const placesFor = (spec: PodSpec, topologyKey: string) => {
    const named = namedValues(spec, topologyKey);
    const name = JSON.stringify([...named].map(([key, values]) => [key, ...values]));
    const places = known.get(name) ?? marketPlaces(named, situation);
    known.set(name, places);
    return places;
  };
  return { sites, placesFor, snapshot };
}

function marketPlaces(
  named: ReadonlyMap<string, ReadonlySet<string>>,
  { snapshot, settings }: Situation,
): Pick<Site, "labels" | "taints">[] {
  const pools = snapshot.nodePools.filter((pool) => pool.replicas === undefined && pool.unusableBecause === undefined);
  return pools.flatMap((pool) =>
    marketOf(pool, { named, wellKnown: settings.wellKnownLabels }).map(({ labels }) => ({
      labels,
      taints: pool.taints,
    })),
  );
}

/** The values of each label that a pod tells apart, with those on both sides of a bound. */
function namedValues(spec: PodSpec, topologyKey: string): Map<string, Set<string>> {
  const named = new Map<string, Set<string>>([[topologyKey, new Set()]]);
  for (const term of termsOf(spec)) {
    for (const [key, { values, atLeast, atMost }] of term) {
      const known = named.get(key) ?? new Set();
      for (const value of values) known.add(value);
      for (const bound of [atLeast, atMost]) {
        if (bound !== undefined) for (const near of [bound - 1n, bound, bound + 1n]) known.add(String(near));
      }
      named.set(key, known);
    }
  }
  return named;
}
