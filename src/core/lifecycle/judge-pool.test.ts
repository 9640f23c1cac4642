import assert from "node:assert/strict";
import { describe, it } from "node:test";
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
    assert.equal(judgePoolSpec({ problems: ["one.", "two."] }).message, "one. two.");
  });
});
