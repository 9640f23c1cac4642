import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, it } from "node:test";
import { findCondition } from "../../src/core/model/condition.ts";
import { InspectorStage } from "./inspector-stage.ts";

describe("a paused pool", () => {
  let stage: InspectorStage;
  beforeEach(() => {
    stage = new InspectorStage();
  });
  afterEach(() => stage.stop());

  function paused(): string | undefined {
    const pool = stage.cluster.pools.get("web");
    const condition = pool && findCondition(pool.status, "DisruptionPaused");
    return condition && `${condition.status} ${condition.message}`;
  }

  it("says so and how to resume, as long as it is", async () => {
    stage.addPool();
    await stage.start();
    assert.equal(paused(), undefined);
    await stage.changePool({ metadata: { annotations: { "karpenter.sh/paused": "true" } } });
    assert.equal(
      paused(),
      "True The annotation karpenter.sh/paused keeps the nodes of this pool from being consolidated or replaced. To resume: kubectl annotate nodepool web karpenter.sh/paused-",
    );
    await stage.changePool({ metadata: { annotations: { "karpenter.sh/paused": null } } });
    assert.equal(paused(), undefined);
  });

  it("is told when an annotation cannot be read, once", async () => {
    stage.addPool();
    await stage.start();
    await stage.changePool({ metadata: { annotations: { "karpenter.sh/soft-expire-after": "a week" } } });
    await stage.changePool({ metadata: { annotations: { "example.com/a": "b" } } });
    const warnings = stage.telemetry.happenings.filter(({ reason }) => reason === "NodePoolValidationWarning");
    assert.equal(warnings.length, 1);
    assert.match(warnings[0]?.message ?? "", /soft-expire-after/);
  });
});
