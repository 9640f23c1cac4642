import { describeProblem } from "../core/api/problem.ts";
import type { Pod } from "../core/model/pod.ts";
import { describeRefusal } from "../core/scheduling/describe-refusal.ts";
import type { PlannedNode, ProvisioningPlan } from "../core/scheduling/plan.ts";
import type { LoadedScenario } from "./load-scenario.ts";

/** A plan as other programs read it. */
export interface PlanFile {
  readonly scenario: string;
  readonly nodes: readonly PlanFileNode[];
  /** Pods that go to nodes that exist or are on their way. */
  readonly placements: readonly { readonly node: string; readonly pods: readonly string[] }[];
  readonly unschedulable: readonly { readonly pod: string; readonly reason: string }[];
}

interface PlanFileNode {
  readonly nodePool: string;
  readonly instanceType: string;
  readonly zone: string;
  readonly capacityType: string;
  readonly pricePerHour: number;
  readonly alternatives: readonly string[];
  readonly pods: readonly string[];
}

export function planFile(scenario: LoadedScenario, plan: ProvisioningPlan): PlanFile {
  const alternativesOf = alternativesFinder();
  return {
    scenario: scenario.name,
    nodes: plan.nodes.map((node) => ({
      nodePool: node.pool.name,
      instanceType: node.instanceType,
      zone: node.zone,
      capacityType: node.capacityType,
      pricePerHour: node.price,
      alternatives: alternativesOf(node),
      pods: node.pods.map(nameOf),
    })),
    placements: plan.placements.map(({ node, pods }) => ({ node: node.name, pods: pods.map(nameOf) })),
    unschedulable: unschedulablePods(scenario, plan),
  };
}

/** Pods without a node: those that the plan refuses, and those that could not even be read. */
export function unschedulablePods(
  { refusedPods }: LoadedScenario,
  { refusals }: ProvisioningPlan,
): PlanFile["unschedulable"] {
  const refused = refusals.map(({ pod, refusal }) => ({ pod: nameOf(pod), reason: describeRefusal(refusal) }));
  const unread = Array.from(refusedPods, ([pod, problem]) => ({ pod, reason: describeProblem(problem) }));
  return [...refused, ...unread];
}

function nameOf({ namespace, name }: Pod): string {
  return `${namespace}/${name}`;
}

/** Nodes that are alike share one list: there may be thousands of nodes with hundreds of alternatives each. */
function alternativesFinder(): (node: PlannedNode) => readonly string[] {
  const known = new Map<readonly string[], Map<string, readonly string[]>>();
  return ({ instanceTypes, instanceType }) => {
    const lists = known.get(instanceTypes) ?? new Map<string, readonly string[]>();
    known.set(instanceTypes, lists);
    const list = lists.get(instanceType) ?? instanceTypes.filter((name) => name !== instanceType);
    lists.set(instanceType, list);
    return list;
  };
}
