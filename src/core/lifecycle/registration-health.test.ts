import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { modelCondition } from "../../../test/support/model-machine.ts";
import type { ConditionStatus } from "../model/condition.ts";
import type { NodeClassObject, NodePoolObject } from "../model/node-pool-object.ts";
import { emptyRecord, isOutdated, judgeHealth, recordFromCondition, recordOutcome } from "./registration-health.ts";

const failure = { reason: "Quota", message: "too many" };

function pool(status: ConditionStatus | undefined, seen = { pool: 1, nodeClass: 1 }): NodePoolObject {
  const condition = modelCondition("NodeRegistrationHealthy", status ?? "Unknown", { observedGeneration: seen.pool });
  const conditions = status === undefined ? [] : [condition];
  return {
    generation: 1,
    status: { conditions, nodeClassObservedGeneration: seen.nodeClass },
  } as unknown as NodePoolObject;
}

/** What is said after these, an x for each failure and a dot for each node. */
function after(outcomes: string, status: ConditionStatus | undefined = "Unknown"): string {
  const record = [...outcomes].reduce(
    (record, outcome) => recordOutcome(record, outcome === "x" ? failure : undefined),
    emptyRecord,
  );
  return judgeHealth(pool(status), record)?.status ?? "";
}

describe("the health of a pool's registrations", () => {
  it("is good after a node, bad after two failures of four", () => {
    assert.deepEqual(
      ["", ".", "x", "xx", ".x.x", ".x..", "xx.", "xx..", "xx...", "x..x", "x...x"].map((outcomes) => after(outcomes)),
      ["", "True", "", "False", "False", "True", "", "", "True", "False", ""],
    );
  });

  it("says what is new, with the reason of the latest failure", () => {
    assert.equal(after(".", "True"), "");
    assert.equal(after("xx", "False"), "");
    const record = recordOutcome(recordOutcome(emptyRecord, { reason: "Other", message: "" }), failure);
    assert.deepEqual(judgeHealth(pool("True"), record), {
      type: "NodeRegistrationHealthy",
      status: "False",
      ...failure,
    });
  });

  it("begins after a restart where the pool's condition stands", () => {
    assert.deepEqual(recordFromCondition(pool("True")).outcomes, [true]);
    assert.deepEqual(recordFromCondition(pool("False")).outcomes, [false, false]);
    assert.deepEqual(recordFromCondition(pool("Unknown")).outcomes, []);
    assert.deepEqual(recordFromCondition(pool(undefined)).outcomes, []);
  });

  it("says nothing of another generation of the pool or of its node class", () => {
    const nodeClass = { generation: 1 } as NodeClassObject;
    assert.equal(isOutdated(pool("True"), nodeClass), false);
    assert.equal(isOutdated(pool(undefined), nodeClass), true);
    assert.equal(isOutdated(pool("True", { pool: 0, nodeClass: 1 }), nodeClass), true);
    assert.equal(isOutdated(pool("True", { pool: 1, nodeClass: 0 }), nodeClass), true);
  });
});
