import { type ConditionChange, findCondition, readyCondition } from "../model/condition.ts";
import type { NodeClassObject, NodePoolObject } from "../model/node-pool-object.ts";

/** What Ready is made of on a pool. */
export const poolDependents = ["ValidationSucceeded", "NodeClassReady"] as const;

/** Whether what the pool says can be followed. A malformed budget keeps nodes from going, not from coming. */
export function judgePoolSpec({
  problems,
  disruption,
}: Pick<NodePoolObject, "problems" | "disruption">): ConditionChange {
  if (problems.length === 0) {
    const malformed = disruption.budgets.flatMap(({ problem }, index) =>
      problem === undefined ? [] : [`spec.disruption.budgets[${index}] lets no node go: ${problem}.`],
    );
    return { type: "ValidationSucceeded", status: "True", message: malformed.join(" ") };
  }
  return {
    type: "ValidationSucceeded",
    status: "False",
    reason: "NodePoolValidationFailed",
    message: problems.join(" "),
  };
}

/** Whether the node class of a pool can launch machines. */
export function judgePoolNodeClass(nodeClass: NodeClassObject | undefined): ConditionChange {
  const type = "NodeClassReady";
  if (nodeClass === undefined) return no("NodeClassNotFound", "NodeClass not found on cluster");
  if (nodeClass.deletedAt !== undefined) return no("NodeClassTerminating", "NodeClass is Terminating");
  const ready = findCondition(nodeClass, readyCondition);
  if (ready?.status === "True") return { type, status: "True" };
  // A condition must have a reason, and other people's node classes may lack one.
  if (ready?.status === "False") return no(ready.reason || "NodeClassNotReady", ready.message);
  return no("NodeClassReadinessUnknown", "Node Class Readiness Unknown");

  function no(reason: string, message: string): ConditionChange {
    return { type, status: "False", reason, message };
  }
}
