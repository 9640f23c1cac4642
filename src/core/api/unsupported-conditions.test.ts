import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Condition } from "../model/condition.ts";
import { unsupportedConditions } from "./unsupported-conditions.ts";

const newObject = { generation: 1, createdAt: 1000, conditions: [] };

describe("unsupportedConditions", () => {
  it("says that an overlay and a buffer do nothing", () => {
    const overlay = unsupportedConditions("NodeOverlay", newObject, 2000);
    assert.deepEqual(overlay, [
      {
        type: "Ready",
        status: "False",
        reason: "NotSupportedYet",
        message:
          "This version of Karpenter does not apply NodeOverlays: prices and capacities stay as the cloud gives them",
        lastTransitionTime: 2000,
        observedGeneration: 1,
      },
    ]);
    const buffer = unsupportedConditions("CapacityBuffer", newObject, 2000);
    assert.deepEqual(
      buffer.map(({ type, status, reason }) => [type, status, reason]),
      [
        ["ReadyForProvisioning", "False", "NotSupportedYet"],
        ["Provisioning", "False", "NotSupportedYet"],
      ],
    );
  });

  it("changes nothing while nothing changes", () => {
    const conditions = unsupportedConditions("CapacityBuffer", newObject, 2000);
    assert.equal(unsupportedConditions("CapacityBuffer", { ...newObject, conditions }, 3000), conditions);
  });

  it("says it of a new generation, since the same time", () => {
    const conditions = unsupportedConditions("NodeOverlay", newObject, 2000);
    const later = unsupportedConditions("NodeOverlay", { ...newObject, generation: 2, conditions }, 3000);
    assert.deepEqual(later, [{ ...conditions[0], observedGeneration: 2 }]);
  });

  it("takes back what another version has said", () => {
    const ready: Condition = {
      type: "Ready",
      status: "True",
      reason: "Ready",
      message: "",
      lastTransitionTime: 1000,
      observedGeneration: 1,
    };
    const conditions = [{ ...ready, type: "ValidationSucceeded" }, ready];
    assert.deepEqual(
      unsupportedConditions("NodeOverlay", { ...newObject, conditions }, 2000),
      unsupportedConditions("NodeOverlay", newObject, 2000),
    );
  });
});
