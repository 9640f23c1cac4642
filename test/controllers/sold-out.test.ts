import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { nodePoolLabel } from "../../src/core/model/labels.ts";
import { cores, type DisruptorStage, onDisruptorStage, poolOf, web } from "./disruptor-stage.ts";

/** From now on, nothing of this pool is to be had. Tells how often it was asked for. */
function sellOut(stage: DisruptorStage, pool: string): { attempts: number; isOver: boolean } {
  const told = { attempts: 0, isOver: false };
  stage.whole.market.refuse = ({ labels }) => {
    if (told.isOver || labels.get(nodePoolLabel) !== pool) return undefined;
    told.attempts++;
    return "sold out";
  };
  return told;
}

const apart = {
  podAntiAffinity: {
    requiredDuringSchedulingIgnoredDuringExecution: [
      { topologyKey: "kubernetes.io/hostname", labelSelector: { matchLabels: { app: "web" } } },
    ],
  },
};

describe("what is sold out", () => {
  it("is no target: nodes are replaced by the next cheapest, and what is sold out is seldom asked for", () =>
    onDisruptorStage(async (stage) => {
      const disruption = { budgets: [{ nodes: "1" }] };
      await stage.begin(
        [poolOf("large", { requirements: cores(8), disruption })],
        [web(6, { spec: { affinity: apart } })],
      );
      assert.equal(stage.types.length, 6);
      const told = sellOut(stage, "small");
      stage.whole.load(
        poolOf("small", { requirements: cores(2), disruption }),
        poolOf("middle", { requirements: cores(4), disruption }),
      );
      await stage.until(() => stage.types.some((type) => type.startsWith("c-4x")), 300_000);
      assert.equal(told.attempts, 1);
      await stage.pass(600_000);
      assert.ok(told.attempts <= 5, `It was asked for ${told.attempts} times`);
    }));

  it("is not what pods wait for: they get the next cheapest", () =>
    onDisruptorStage(async (stage) => {
      const told = sellOut(stage, "small");
      const pools = [poolOf("small", { requirements: cores(2) }), poolOf("middle", { requirements: cores(4) })];
      await stage.begin(pools, [web(1)]);
      assert.deepEqual(
        stage.types.map((type) => type.slice(0, 4)),
        ["c-4x"],
      );
      assert.equal(told.attempts, 1);
    }));

  it("is asked for again after three minutes by pods that nothing else will do for", () =>
    onDisruptorStage(async (stage) => {
      const told = sellOut(stage, "small");
      stage.whole.load(poolOf("small", { requirements: cores(2) }));
      stage.whole.start();
      await stage.pass(1_000);
      stage.whole.load(web(1));
      await stage.pass(170_000);
      assert.equal(told.attempts, 1);
      told.isOver = true;
      await stage.until(() => stage.types.length === 1, 60_000);
    }));
});
