import type { ProvisioningPlan } from "../core/scheduling/plan.ts";
import { describeProblem } from "../core/api/problem.ts";
import { describeRefusal } from "../core/scheduling/describe-refusal.ts";
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
  const rejected = new Map<string, string>();
  for (const problem of scenario.problems) {
    const [, pod] = /^Pod (\S+\/\S+)$/.exec(problem.object) ?? [];
    if (pod !== undefined && !rejected.has(pod)) rejected.set(pod, describeProblem(problem));
  }
  return {
    scenario: scenario.name,
    nodes: plan.nodes.map((node) => ({
      nodePool: node.pool.name,
      instanceType: node.instanceType,
      zone: node.zone,
      capacityType: node.capacityType,
      pricePerHour: node.price,
      alternatives: node.instanceTypes.filter((name) => name !== node.instanceType),
      pods: node.pods.map(({ namespace, name }) => `${namespace}/${name}`),
    })),
    unschedulable: [
      ...plan.refusals.map(({ pod, refusal }) => ({ pod: `${pod.namespace}/${pod.name}`, reason: describeRefusal(refusal) })),
      ...[...rejected].map(([pod, reason]) => ({ pod, reason })),
    ],
  };
}
