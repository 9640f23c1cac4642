import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, it } from "node:test";
import { writeTime } from "../../src/core/api/write-time.ts";
import { InspectorStage } from "./inspector-stage.ts";

const marked = "True Consolidatable";

describe("Consolidatable", () => {
  let stage: InspectorStage;
  beforeEach(() => {
    stage = new InspectorStage();
  });
  afterEach(() => stage.stop());

  const condition = () => stage.condition("Consolidatable");
  const disruption = (consolidateAfter: string) => ({ spec: { disruption: { consolidateAfter } } });

  it("comes exactly when the window since the node was initialized ends", async () => {
    stage.addPool({ disruption: { consolidateAfter: "30s" } });
    const end = stage.clock.now() + 30_000;
    stage.addClaim("a");
    await stage.start();
    await stage.clock.advance(end - 1 - stage.clock.now());
    assert.equal(condition(), undefined);
    await stage.clock.advance(1);
    assert.equal(condition(), marked);
  });

  it("goes when a pod comes or leaves, and comes back after another window", async () => {
    stage.addPool({ disruption: { consolidateAfter: "30s" } });
    stage.addClaim("a");
    await stage.start();
    await stage.clock.advance(60_000);
    assert.equal(condition(), marked);
    const now = stage.clock.now();
    await stage.changeStatus("a", { lastPodEventTime: writeTime(now) });
    await stage.clock.advance(1_000);
    assert.equal(condition(), undefined);
    await stage.clock.advance(Math.floor(now / 1000) * 1000 + 30_000 - 1 - stage.clock.now());
    assert.equal(condition(), undefined);
    await stage.clock.advance(1);
    assert.equal(condition(), marked);
  });

  it("does not start its window again with another controller", async () => {
    stage.addPool({ disruption: { consolidateAfter: "10m" } });
    const end = stage.clock.now() + 600_000;
    stage.addClaim("a");
    const first = await stage.start();
    await stage.clock.advance(300_000);
    await first.stop();
    await stage.clock.advance(120_000);
    stage.startInspector();
    await stage.clock.advance(end - 1 - stage.clock.now());
    assert.equal(condition(), undefined);
    await stage.clock.advance(1);
    assert.equal(condition(), marked);
  });

  it("comes at once without a window, and follows what the pool says", async () => {
    stage.addPool({ disruption: { consolidateAfter: "0s" } });
    stage.addClaim("a");
    await stage.start();
    const seen = [condition()];
    for (const consolidateAfter of ["Never", "1s", "5m"]) {
      await stage.changePool(disruption(consolidateAfter));
      await stage.clock.advance(1_000);
      seen.push(condition());
    }
    assert.deepEqual(seen, [marked, undefined, marked, undefined]);
  });

  it("is not for nodes that are not initialized, nor for static pools", async () => {
    stage.addPool({ disruption: { consolidateAfter: "0s" } });
    stage.addClaim("a", { conditions: ["Launched", "Registered", "Consolidatable"] });
    await stage.start();
    assert.equal(condition(), undefined);
    const other = new InspectorStage();
    other.addPool({ replicas: 1, limits: undefined, disruption: { consolidateAfter: "0s" } });
    other.addClaim("a", { conditions: ["Launched", "Registered", "Initialized", "Consolidatable"] });
    await other.start();
    assert.equal(other.condition("Consolidatable"), undefined);
    await other.stop();
  });

  it("leaves claims alone that go, or whose pool is gone", async () => {
    stage.addPool({ disruption: { consolidateAfter: "0s" } });
    stage.addClaim("a", {
      deletionTimestamp: "2026-01-01T00:00:00Z",
      deletionGracePeriodSeconds: 0,
      finalizers: ["karpenter.sh/termination"],
    });
    stage.addClaim("b", { labels: { "karpenter.sh/nodepool": "gone" } });
    await stage.start();
    await stage.clock.advance(60_000);
    assert.deepEqual([condition(), stage.condition("Consolidatable", "b")], [undefined, undefined]);
  });

  it("gets there although others write to the claim and half of the writes are refused", async () => {
    stage.addPool({ disruption: { consolidateAfter: "5s" } });
    stage.addClaim("a");
    await stage.start();
    stage.embedded.faults.inject({ effect: "refuse", status: 409, probability: 0.4 });
    stage.embedded.faults.inject({ effect: "delay-watch", byMs: 2_000, probability: 0.5 });
    for (let round = 0; round < 10; round++) {
      await stage.changeStatus("a", { imageID: `image-${round}` });
      await stage.clock.advance(700);
    }
    await stage.clock.advance(30_000);
    assert.equal(condition(), marked);
    assert.equal(stage.cluster.claims.get("a")?.imageId, "image-9");
  });
});
