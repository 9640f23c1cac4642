import { describeProblem } from "../core/api/problem.ts";
import { describeRefusal } from "../core/scheduling/describe-refusal.ts";
import type { PlannedNode, ProvisioningPlan } from "../core/scheduling/plan.ts";
import type { LoadedScenario } from "./load-scenario.ts";

/** A plan as other programs read it. */
export interface PlanFile {
  readonly scenario: string;
  readonly nodes: readonly PlanFileNode[];
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
      pods: node.pods.map(({ namespace, name }) => `${namespace}/${name}`),
    })),
    unschedulable: unschedulablePods(scenario, plan),
  };
}

/** Pods without a node: those that the plan refuses, and those that could not even be read. */
export function unschedulablePods(
  { problems }: LoadedScenario,
  { refusals }: ProvisioningPlan,
): PlanFile["unschedulable"] {
  const reasons = new Map<string, string>();
  for (const { pod, refusal } of refusals) reasons.set(`${pod.namespace}/${pod.name}`, describeRefusal(refusal));
  for (const problem of problems) {
    const [, pod] = /^Pod (\S+\/\S+)$/.exec(problem.object) ?? [];
    if (pod !== undefined && !reasons.has(pod)) reasons.set(pod, describeProblem(problem));
  }
  return [...reasons].map(([pod, reason]) => ({ pod, reason }));
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
