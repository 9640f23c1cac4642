import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, test } from "node:test";
import { Expiration } from "../../src/controllers/terminator/expiration.ts";
import { TerminatorStage } from "../support/terminator-stage.ts";

describe("expiration of claims", () => {
  let stage: TerminatorStage;

  beforeEach(() => {
    stage = new TerminatorStage();
  });

  afterEach(() => stage.stop());

  test("a claim is deleted exactly when its time is up, whatever its pods say", async () => {
    stage.addNode("a", { spec: { expireAfter: "1h", terminationGracePeriod: "30s" } });
    await stage.start();
    await stage.clock.advance(2_000);
    stage.addPod("held", "a", { metadata: { annotations: { "karpenter.sh/do-not-disrupt": "true" } } });
    stage.addPod("web", "a");
    await stage.clock.advance(3_600_000 - 2_000 - 100);
    assert.equal(stage.cluster.claims.get("a")?.deletedAt, undefined);
    await stage.clock.advance(100);
    assert.notEqual(stage.cluster.claims.get("a")?.deletedAt, undefined);
    const cause =
      '{reason="expired",nodepool="default",capacity_type="spot",consolidation_policy="",termination_mode="eventual"}';
    assert.equal(stage.number(`nodeclaims_disrupted_total${cause}`), 1);
    assert.equal(stage.number(`pods_disruption_initiated_total${cause}`), 2);
    await stage.secondsUntilGone(120_000);
  });

  test("a claim whose time is longer than timers can wait is looked at again before", async () => {
    stage.addClaim("a", { spec: { expireAfter: "1000h" } });
    await stage.bench.observe();
    const { cluster, kube, clock, telemetry } = stage.bench;
    const { reconcile } = new Expiration({ cluster, kube, clock, telemetry, cloud: stage.park.cloud });
    assert.equal(await reconcile("a"), 2 ** 31 - 1);
  });

  test("a claim without a time stays", async () => {
    stage.addNode("a", { spec: { expireAfter: "Never" } });
    await stage.start();
    await stage.clock.advance(10 * 3_600_000);
    assert.deepEqual(stage.left.claims, ["a"]);
  });

  test("a claim that expired while nobody led is deleted by who leads next", async () => {
    stage.addNode("a", { spec: { expireAfter: "1m" } });
    await stage.bench.observe();
    await stage.clock.advance(600_000);
    await stage.start();
    await stage.secondsUntilGone(30_000);
  });
});
