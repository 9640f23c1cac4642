import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { modelNodeBudget, modelPool } from "../../../test/support/model-pool.ts";
import type { Condition } from "../model/condition.ts";
import type { NodeClassObject } from "../model/node-pool-object.ts";
import { judgePoolNodeClass, judgePoolSpec } from "./judge-pool.ts";

function nodeClass(ready: Partial<Condition> | undefined, deletedAt?: number): NodeClassObject {
  const conditions = ready === undefined ? [] : [{ type: "Ready", reason: "", message: "", ...ready }];
  return { conditions, deletedAt } as unknown as NodeClassObject;
}

describe("judgePoolNodeClass", () => {
  it("gives the reason of a node class that is not ready, and one of our own where it has none", () => {
    const judged = [
      nodeClass({ status: "True" }),
      nodeClass({ status: "False", reason: "NoSubnets", message: "none match" }),
      nodeClass({ status: "False" }),
      nodeClass({ status: "Unknown" }),
      nodeClass(undefined),
      nodeClass({ status: "True" }, 5),
      undefined,
    ].map(judgePoolNodeClass);
    assert.deepEqual(
      judged.map(({ status, reason }) => [status, reason]),
      [
        ["True", undefined],
        ["False", "NoSubnets"],
        ["False", "NodeClassNotReady"],
        ["False", "NodeClassReadinessUnknown"],
        ["False", "NodeClassReadinessUnknown"],
        ["False", "NodeClassTerminating"],
        ["False", "NodeClassNotFound"],
      ],
    );
  });
});

describe("judgePoolSpec", () => {
  it("names all problems at once", () => {
    assert.equal(judgePoolSpec(modelPool("web", { problems: ["one.", "two."] })).message, "one. two.");
  });

  it("tells of malformed budgets although the pool can be used", () => {
    const budgets = [modelNodeBudget("5"), modelNodeBudget("0", { problem: "nodes must be a string" })];
    assert.deepEqual(judgePoolSpec(modelPool("web", { disruption: { budgets } })), {
      type: "ValidationSucceeded",
      status: "True",
      message: "spec.disruption.budgets[1] lets no node go: nodes must be a string.",
    });
    assert.equal(judgePoolSpec(modelPool("web")).message, "");
  });
});
