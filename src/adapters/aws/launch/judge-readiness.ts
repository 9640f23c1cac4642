import { findCondition, readyCondition } from "../../../core/model/condition.ts";
import type { LaunchOutcome } from "../../../ports/cloud-provider.ts";
import type { PlacementGroups } from "../aws-parts.ts";
import type { Ec2NodeClass } from "../node-class/ec2-node-class.ts";
import { tagProblem } from "../node-class/tags.ts";

type Refusal = Exclude<LaunchOutcome, { readonly kind: "launched" }>;

/** Why nothing can be launched for a node class now; undefined when it can. */
export function judgeReadiness(
  nodeClass: Ec2NodeClass,
  placementGroup: ReturnType<PlacementGroups["known"]>,
): Refusal | undefined {
  const { name, generation, deletedAt, conditions, spec } = nodeClass;
  if (deletedAt !== undefined) {
    return { kind: "insufficient-capacity", message: `EC2NodeClass "${name}" is being deleted`, isTold: true };
  }
  const problem = tagProblem(spec.tags);
  if (problem !== undefined) return { kind: "node-class-not-ready", message: problem };
  const ready = findCondition({ conditions }, readyCondition);
  if (ready === undefined || ready.status === "Unknown") {
    return {
      kind: "failed",
      reason: "NodeClassReadinessUnknown",
      message: `it is not known yet whether EC2NodeClass "${name}" is ready`,
    };
  }
  if (ready.status === "False") {
    return { kind: "node-class-not-ready", message: `EC2NodeClass "${name}" is not ready: ${ready.message}` };
  }
  if (ready.observedGeneration !== generation) {
    return { kind: "node-class-not-ready", message: `EC2NodeClass "${name}" has changed and is being looked at` };
  }
  return placementGroup === "unknown" ? unknownPlacementGroup(nodeClass) : undefined;
}

/** Outside of its group a machine would be good for nothing; a new process knows none before it has asked. */
export function unknownPlacementGroup({ name }: Ec2NodeClass): Refusal {
  return {
    kind: "failed",
    reason: "PlacementGroupUnknown",
    message: `the placement group of EC2NodeClass "${name}" is not known yet`,
  };
}
