import type { Pod } from "../model/pod.ts";
import { AlternativeFinder } from "./alternatives.ts";
import type { BudgetBook } from "./budgets.ts";
import { lowerBound } from "./lower-bound.ts";
import type { OpenNode } from "./open-nodes.ts";
import type { PlannedNode, ProvisioningPlan } from "./plan.ts";
import { plannedNode } from "./planned-node.ts";
import type { PodClass } from "./pod-classes.ts";
import type { Refusal } from "./refusal.ts";
import type { World } from "./world.ts";

export interface Outcome {
  readonly screened: readonly { readonly pod: Pod; readonly refusal: Refusal }[];
  readonly unplaced: readonly { readonly podClass: PodClass; readonly count: number; readonly refusal: Refusal }[];
  readonly rounds: number;
}

/** Deals out the pods of each class over the nodes that were planned for them, the oldest first. */
export function finishPlan(world: World, budgets: BudgetBook, outcome: Outcome): ProvisioningPlan {
  const taken = new Map<PodClass, number>();
  const take = (podClass: PodClass, count: number): readonly Pod[] => {
    const start = taken.get(podClass) ?? 0;
    taken.set(podClass, start + count);
    return podClass.pods.slice(start, start + count);
  };
  const podsOf = ({ placed }: OpenNode) => placed.flatMap(({ staged, count }) => take(staged.podClass, count));
  const placements: { node: NonNullable<OpenNode["existing"]>; pods: readonly Pod[] }[] = [];
  const nodes: PlannedNode[] = [];
  const finder = new AlternativeFinder(world, budgets);
  for (const open of world.openNodes) {
    if (open.placed.length === 0) continue;
    if (open.existing) placements.push({ node: open.existing, pods: podsOf(open) });
    else nodes.push(plannedNode(open, podsOf(open), world.resources, finder));
  }
  const refusals = [...outcome.screened];
  for (const { podClass, count, refusal } of outcome.unplaced) {
    for (const pod of take(podClass, count)) refusals.push({ pod, refusal });
  }
  return {
    nodes,
    placements,
    refusals,
    costPerHour: nodes.reduce((sum, { price }) => sum + price, 0),
    boundPerHour: () => lowerBound(world),
    rounds: outcome.rounds,
  };
}
