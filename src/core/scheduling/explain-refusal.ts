import { hostnameLabel } from "../model/labels.ts";
import type { NodePool } from "../model/node-pool.ts";
import { holdsOn, type NodeTerm, type Requirement, unmetKey } from "../model/requirements.ts";
import { untoleratedTaint } from "../model/taints.ts";
import { type Ask, acceptsLabels } from "./ask.ts";
import type { BudgetBook } from "./budgets.ts";
import { requirementsOfPool } from "./catalogue.ts";
import { type MachineGroup, valuesOf } from "./machine-groups.ts";
import type { Machine } from "./machines.ts";
import { domainsAllow } from "./open-nodes.ts";
import type { PoolRefusalReason, Refusal } from "./refusal.ts";
import type { StagedClass, World } from "./world.ts";

/** Says for each pool what kept it from serving a class, judged by what the class asked for last. */
export function explainRefusal(staged: StagedClass, world: World, budgets: BudgetBook): Refusal {
  const pools = world.snapshot.nodePools;
  if (pools.length === 0) return { kind: "no-pools" };
  return {
    kind: "no-fit",
    pools: pools.map((pool) => ({ pool: pool.name, reason: reasonOf(pool, staged, world, budgets) })),
  };
}

function reasonOf(pool: NodePool, staged: StagedClass, world: World, budgets: BudgetBook): PoolRefusalReason {
  if (pool.replicas !== undefined) return { kind: "static" };
  if (pool.unusableBecause !== undefined) return { kind: "unusable", because: pool.unusableBecause };
  const groups = world.groups.filter(({ catalogue, rows }) => catalogue.pool === pool && rows.length > 0);
  if (groups.length === 0) return { kind: "nothing-offered" };
  const taint = untoleratedTaint(staged.ask.tolerations, pool.taints);
  if (taint) return { kind: "taint", taint };
  const accepted = groups.filter(({ labels }) => acceptsLabels(staged.ask, labels));
  if (accepted.length === 0) return unmetRequirement(staged.ask, groups);
  const { alternatives } = staged.volumes;
  if (alternatives.length > 0 && !accepted.some(({ labels }) => alternatives.some((term) => holdsOn(term, labels)))) {
    return { kind: "volume-topology", keys: [...new Set(alternatives.flatMap((term) => [...term.keys()]))] };
  }
  const allowed = accepted.filter((group) => staged.allowedGroups.has(group));
  const requests = staged.requests[world.profileOf(pool.name)]!;
  const flexibility = allowed.length === 0 ? world.machines.missingFlexibility(requests, accepted) : undefined;
  if (flexibility) return { kind: "min-values", ...flexibility };
  if (allowed.length === 0) return defaultsOrPorts(staged, accepted);
  return marketReason(pool, staged, allowed, world, budgets);
}

function marketReason(
  pool: NodePool,
  staged: StagedClass,
  allowed: readonly MachineGroup[],
  world: World,
  budgets: BudgetBook,
): PoolRefusalReason {
  const requests = staged.requests[world.profileOf(pool.name)]!;
  const machines = allowed.flatMap((group) => world.machines.inGroup(group));
  const fitting = machines.filter(({ capacity }) => requests.every((need, index) => need <= capacity[index]!));
  if (fitting.length === 0) {
    const flexibility = world.machines.missingFlexibility(requests, allowed);
    if (flexibility) return { kind: "min-values", ...flexibility };
    return nearestMiss(requests, allowed, world);
  }
  const affordable = fitting.filter((machine) => budgets.canAfford(machine));
  if (affordable.length === 0) return brokenLimit(pool, fitting, budgets);
  return topologyReason(staged, affordable);
}

function brokenLimit(pool: NodePool, fitting: readonly Machine[], budgets: BudgetBook): PoolRefusalReason {
  for (const machine of fitting) {
    const broken = budgets.brokenBy(machine);
    const limit = broken && pool.limits.get(broken.resource);
    if (broken && limit !== undefined) return { kind: "limit", ...broken, limit };
  }
  return { kind: "nothing-offered" };
}

function topologyReason({ rules, ask }: StagedClass, machines: readonly Machine[]): PoolRefusalReason {
  const places = machines.map(({ group }) => ({ labels: group.labels, taints: group.catalogue.pool.taints }));
  for (const demand of rules.demands) {
    const alone = { ...rules, demands: [demand], memberOf: [] };
    if (!places.some((place) => domainsAllow({ rules: alone, ask }, place)))
      return { kind: "topology", rule: demand.kind, key: demand.counts.group.key };
  }
  for (const counts of rules.memberOf) {
    const alone = { ...rules, demands: [], memberOf: [counts] };
    if (!places.some((place) => domainsAllow({ rules: alone, ask }, place)))
      return { kind: "topology", rule: "anti-affinity", key: counts.group.key };
  }
  if (rules.hostNeeds.length > 0) return { kind: "topology", rule: "affinity", key: hostnameLabel };
  const [demand] = rules.demands;
  if (demand) return { kind: "topology", rule: demand.kind, key: demand.counts.group.key };
  return { kind: "nothing-offered" };
}

/** The label that fewest machines have as the pod wants it. */
function unmetRequirement(ask: Ask, groups: readonly MachineGroup[]): PoolRefusalReason {
  const terms: NodeTerm[] = [ask.nodeSelector, ...ask.requiredNodeTerms.slice(0, 1)];
  if (ask.preferredNodeTerm) terms.push(ask.preferredNodeTerm);
  let worst: { key: string; wanted: Requirement; met: number } | undefined;
  for (const term of terms) {
    for (const [key, wanted] of term) {
      const met = groups.filter(({ labels }) => unmetKey(new Map([[key, wanted]]), labels) === undefined).length;
      if (!worst || met < worst.met) worst = { key, wanted, met };
    }
  }
  const key = worst?.key ?? "";
  return { kind: "requirement", key, wanted: worst?.wanted, ...offerOf(key, groups) };
}

function defaultsOrPorts(staged: StagedClass, accepted: readonly MachineGroup[]): PoolRefusalReason {
  const overridden = accepted.flatMap(({ overriddenKeys }) => overriddenKeys);
  if (staged.podClass.spec.hostPorts.length > 0) return { kind: "host-port" };
  const key = overridden[0] ?? "";
  return { kind: "requirement", key, wanted: undefined, ...offerOf(key, accepted) };
}

/** The values of a label that types, offerings or the pool fix, and where they do not, what the pool says of it. */
function offerOf(
  key: string,
  groups: readonly MachineGroup[],
): { offered: string[]; required: Requirement | undefined } {
  const [first] = groups;
  const own = first && requirementsOfPool(first.catalogue.pool).get(key);
  const values = new Set<string>();
  let required: Requirement | undefined;
  for (const group of groups) {
    const { rows } = group;
    const isFixed = isListed(rows[0]?.type.requirements.get(key)) || isListed(rows[0]?.offering.requirements.get(key));
    if (isFixed || (isListed(own) && own.values.size === 1)) {
      for (const value of valuesOf(group, key)) if (value !== undefined) values.add(value);
    } else required = own;
  }
  return { offered: [...values].sort(), required };
}

function isListed(requirement: Requirement | undefined): requirement is Requirement {
  return requirement !== undefined && !requirement.isComplement && requirement.values.size > 0;
}

/** The machine that comes closest to holding the pod, and what it lacks. */
function nearestMiss(requests: Float64Array, groups: readonly MachineGroup[], world: World): PoolRefusalReason {
  let instanceType = "";
  let least = Number.POSITIVE_INFINITY;
  let missing = new Map<string, number>();
  let daemons = new Map<string, number>();
  for (const group of groups) {
    const overhead = world.machines.overheadOf(group).requests;
    world.machines.capacitiesOf(group).forEach((capacity, index) => {
      let excess = 0;
      for (let at = 0; at < requests.length; at++)
        excess += Math.max(0, requests[at]! - capacity[at]!) / Math.max(1, requests[at]!);
      if (excess >= least) return;
      least = excess;
      instanceType = group.rows[index]!.type.name;
      missing = new Map();
      daemons = new Map();
      requests.forEach((need, at) => {
        if (need <= capacity[at]!) return;
        const resource = world.resources[at]!;
        const taken = overhead.get(resource) ?? 0;
        const isCountless = Math.max(need, taken) >= Number.MAX_SAFE_INTEGER;
        missing.set(resource, isCountless ? Number.MAX_SAFE_INTEGER : need - capacity[at]!);
        // Daemons that take next to nothing of what is missing are not the reason.
        if (taken * 10 >= need - capacity[at]!) daemons.set(resource, taken);
      });
    });
  }
  return { kind: "resources", instanceType, missing, daemons };
}
