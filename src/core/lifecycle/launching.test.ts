import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { modelClaim, modelCondition } from "../../../test/support/model-machine.ts";
import { awaitsLaunch, cutMessage, launchedMetadata } from "./launching.ts";

describe("launching", () => {
  it("is for claims that are not known to have been launched, and stay", () => {
    assert.equal(awaitsLaunch(modelClaim()), true);
    assert.equal(awaitsLaunch(modelClaim({ conditions: [modelCondition("Launched", "Unknown")] })), true);
    assert.equal(awaitsLaunch(modelClaim({ conditions: [modelCondition("Launched", "True")] })), false);
    assert.equal(awaitsLaunch(modelClaim({ deletedAt: 1 })), false);
  });

  it("adds the labels that the claim lacks, and the annotations that differ", () => {
    const claim = modelClaim({
      labels: new Map([["a", "claim"]]),
      annotations: new Map([
        ["a", "claim"],
        ["b", "1"],
      ]),
    });
    const machine = {
      labels: new Map([
        ["a", "cloud"],
        ["b", "cloud"],
      ]),
      annotations: new Map([
        ["a", "cloud"],
        ["b", "1"],
      ]),
    };
    assert.deepEqual(launchedMetadata(claim, machine), {
      labels: new Map([["b", "cloud"]]),
      annotations: new Map([["a", "cloud"]]),
    });
  });

  it("cuts what is too long to show", () => {
    assert.equal(cutMessage("x".repeat(299)), "x".repeat(299));
    assert.equal(cutMessage("x".repeat(300)), `${"x".repeat(300)}...`);
  });
});
