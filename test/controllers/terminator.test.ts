import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, test } from "node:test";
import { TerminatorStage } from "../support/terminator-stage.ts";

describe("a node that goes", () => {
  let stage: TerminatorStage;

  beforeEach(() => {
    stage = new TerminatorStage();
  });

  afterEach(() => stage.stop());

  test("takes its pods, its machine and its claim with it when the claim is deleted", async () => {
    stage.addNode("a");
    await stage.start();
    await stage.clock.advance(1_000);
    stage.addPod("web", "a");
    await stage.clock.advance(5_000);
    await stage.deleteClaim("a");
    await stage.secondsUntilGone();
    assert.equal(stage.hasPod("web"), false);
  });
});
