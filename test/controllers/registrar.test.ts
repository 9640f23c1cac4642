import assert from "node:assert/strict";
import { afterEach, describe, it } from "node:test";
import { initializedLabel, registeredLabel } from "../../src/core/model/labels.ts";
import { LifecycleStage } from "../support/lifecycle-stage.ts";

describe("the registrar", () => {
  let stage: LifecycleStage;
  afterEach(() => stage.stop());

  async function open(): Promise<void> {
    stage = await LifecycleStage.open();
    stage.launcher();
    stage.registrar();
  }

  it("makes a ready node of a claim: launched, registered, initialized", async () => {
    await open();
    await stage.createClaim("a");
    await stage.join("a");
    await stage.clock.advance(10_000);
    assert.deepEqual(stage.conditions("a"), ["Launched=True", "Registered=True", "Initialized=True", "Ready=True"]);
    assert.equal(stage.node("a").labels.get(registeredLabel), "true");
    assert.equal(stage.node("a").labels.get(initializedLabel), "true");
    assert.deepEqual(stage.node("a").taints, []);
    assert.deepEqual(stage.said, ["launched nodeclaim", "registered nodeclaim", "initialized nodeclaim"]);
  });
});
