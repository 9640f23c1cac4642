// Checks a plan against its scenario, trusting nothing that the plan says about itself:
// node bench/verify.ts SCENARIO PLAN prints one JSON line, and fails when there is a violation.
import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { type Catalogue, openScenario, type ScenarioFile } from "./catalogue.ts";
import { labelsOf, type PlacedNode } from "./placed-node.ts";
import { satisfies } from "./selector.ts";
import { checkAlternatives } from "./verify-alternatives.ts";
import { existingSites } from "./verify-existing.ts";
import { checkPods, checkRoom } from "./verify-pods.ts";
import { checkTopology, sharePreferencesHonoured } from "./verify-topology.ts";
import { Violations } from "./violations.ts";
import { hostLabel, type NodePool, nameOf, type Plan, type Pod, required } from "./wire.ts";

export interface Verdict {
  readonly violations: number;
  readonly kinds: Readonly<Record<string, number>>;
  /** The first few, in words. */
  readonly examples: readonly string[];
  /** What the nodes cost by the catalogue, whatever the plan says. */
  readonly costPerHour: number;
  readonly nodes: number;
  readonly placed: number;
  readonly unschedulable: number;
  /** By weight; null when no pod prefers anything. */
  readonly preferencesHonoured: number | null;
}

/** These scenarios can all be placed, so a pod that is left out is a violation. */
export function verifyPlan({ scenario, catalogue }: ScenarioFile, plan: Plan): Verdict {
  const violations = new Violations();
  const pods = new Map(scenario.pods.map((pod) => [nameOf(pod), pod]));
  for (const pod of scenario.pods) refuseUnknownFields(pod);
  const pools = new Map(scenario.nodePools.map((pool) => [pool.metadata.name, pool]));
  const seen = new Set<string>();
  const findPods = (names: readonly string[]): Pod[] =>
    names.flatMap((name) => {
      const pod = pods.get(name);
      if (pod === undefined) violations.add("unknown pod", name);
      if (seen.has(name)) violations.add("placed twice", name);
      seen.add(name);
      return pod ?? [];
    });
  const placedNodes = placeNodes(plan, { catalogue, pools, findPods }, violations);
  const newSites = placedNodes.map(({ labels, pods }) => ({ labels, pods, boundPods: [] }));
  const existing = existingSites(scenario, plan.placements ?? [], findPods, violations);
  let costPerHour = 0;
  for (const placed of placedNodes) {
    costPerHour += checkOffer(placed, violations);
    checkNode(placed, violations);
    checkAlternatives(placed, catalogue, violations);
  }
  const unschedulable = plan.unschedulable ?? [];
  for (const { pod, reason = "" } of unschedulable) {
    if (seen.has(pod)) violations.add("placed and unschedulable", pod);
    violations.add(pods.has(pod) ? "left out" : "unknown pod", `${pod} ${reason.slice(0, 80)}`);
    seen.add(pod);
  }
  for (const name of pods.keys()) if (!seen.has(name)) violations.add("lost", name);
  const placement = { pods: scenario.pods, sites: [...newSites, ...existing], zones: zonesOf(catalogue) };
  checkTopology(placement, violations);
  return {
    violations: violations.count,
    kinds: violations.kinds,
    examples: violations.examples,
    costPerHour,
    nodes: plan.nodes.length,
    placed: placement.sites.reduce((sum, { pods }) => sum + pods.length, 0),
    unschedulable: unschedulable.length,
    preferencesHonoured: sharePreferencesHonoured(placement),
  };
}

interface Known {
  readonly catalogue: Catalogue;
  readonly pools: ReadonlyMap<string, NodePool>;
  readonly findPods: (names: readonly string[]) => Pod[];
}

/** Looks up everything that the plan names. */
function placeNodes(plan: Plan, known: Known, violations: Violations): PlacedNode[] {
  return plan.nodes.flatMap((node, index) => {
    const pods = known.findPods(node.pods);
    const type = known.catalogue.get(node.instanceType);
    const pool = known.pools.get(node.nodePool);
    if (type === undefined) violations.add("unknown instance type", node.instanceType);
    if (pool === undefined) violations.add("unknown pool", node.nodePool);
    if (pods.length === 0) violations.add("empty node", `${node.instanceType} has no pods`);
    if (type === undefined || pool === undefined) return [];
    const labels = { ...labelsOf(type, pool, node), [hostLabel]: `new-${index}` };
    return [{ node, pool, type, labels, pods }];
  });
}

/** Returns the true price. */
function checkOffer({ node, type }: PlacedNode, violations: Violations): number {
  const offer = type.offers.find(({ zone, capacityType }) => zone === node.zone && capacityType === node.capacityType);
  const what = `${type.name} in ${node.zone}, ${node.capacityType}`;
  if (offer === undefined) {
    violations.add("no such offering", what);
    return 0;
  }
  if (Math.abs(offer.price - node.pricePerHour) > 1e-9) {
    violations.add("wrong price", `${what} costs ${offer.price}, not ${node.pricePerHour}`);
  }
  return offer.price;
}

function checkNode({ pool, type, labels, pods }: PlacedNode, violations: Violations): void {
  for (const requirement of pool.spec.template.spec.requirements ?? []) {
    if (!satisfies(requirement, labels)) violations.add("pool requirement", `${requirement.key} on ${type.name}`);
  }
  checkPods({ name: type.name, labels, taints: pool.spec.template.spec.taints ?? [], pods }, violations);
  checkRoom({ name: type.name, allocatable: type.allocatable, pods }, violations);
}

function zonesOf(catalogue: Catalogue): readonly string[] {
  return [...new Set([...catalogue.values()].flatMap(({ offers }) => offers.map(({ zone }) => zone)))];
}

const knownFields = new Set(["containers", "nodeSelector", "affinity", "topologySpreadConstraints", "tolerations"]);

/** A rule that nobody checks would pass as kept. */
function refuseUnknownFields(pod: Pod): void {
  const { nodeAffinity = {}, podAffinity = {} } = pod.spec.affinity ?? {};
  const unknown = Object.keys(pod.spec).find((field) => !knownFields.has(field));
  const field = unknown ?? (required in nodeAffinity ? "required nodeAffinity" : undefined);
  if (field !== undefined || Object.keys(podAffinity).some((key) => key !== required)) {
    throw new Error(`Cannot check pod "${nameOf(pod)}": nothing here knows ${field ?? "preferred podAffinity"}`);
  }
}

if (import.meta.main) {
  const { positionals } = parseArgs({ allowPositionals: true });
  const [scenarioPath, planPath] = positionals;
  if (scenarioPath === undefined || planPath === undefined) {
    console.error("usage: node bench/verify.ts SCENARIO PLAN");
    process.exitCode = 2;
  } else {
    const file = openScenario(scenarioPath);
    const verdict = verifyPlan(file, JSON.parse(readFileSync(planPath, "utf8")) as Plan);
    console.log(JSON.stringify({ scenario: file.scenario.name, ...verdict }));
    if (verdict.violations > 0) process.exitCode = 1;
  }
}
