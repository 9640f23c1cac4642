import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { cores, type DisruptorStage, onDisruptorStage, poolOf, web } from "./disruptor-stage.ts";

const huge = "c-16x-amd64-linux";
const stopped = "voluntary_disruption_stopped{}";

/** A node that is much too large for its 24 pods: they are moved. */
async function move(stage: DisruptorStage): Promise<void> {
  const pool = poolOf("general", { requirements: cores(2, 8, 16) });
  await stage.begin([pool], [web(24, { cpu: "200m" }), web(1, { cpu: "8" }, "b"), web(2, { cpu: "100m" }, "c")]);
  assert.deepEqual(stage.types, [huge]);
  stage.scale("b", 0);
  await stage.until(() => !stage.types.includes(huge), 300_000);
}

function movedPods(stage: DisruptorStage): string | undefined {
  const [pool] = stage.whole.list("karpenter.sh/v1", "NodePool");
  return pool?.metadata.annotations?.["karpenter.sh/moved-pods"];
}

describe("pods that were moved", () => {
  it("are written on their pool", () =>
    onDisruptorStage(async (stage) => {
      await move(stage);
      assert.match(movedPods(stage) ?? "", /^2026-01-01T00:0\d:\d\d\.\d{3}Z=26$/);
    }));

  it("keep others from being moved, and it is said so, although one more might be", () =>
    onDisruptorStage(
      async (stage) => {
        await move(stage);
        stage.scale("web", 16);
        // Whatever is empty goes.
        await stage.pass(120_000);
        const { types } = stage;
        await stage.pass(1_800_000);
        assert.deepEqual(stage.types, types);
        assert.equal(stage.count(stopped), 1);
        // Of 18 pods, 150 % may be moved.
        const said = /NodePool: 26 pods are moved within an hour and 27 may be, which is too few for a move of \d more/;
        assert.match(stage.events("DisruptionStopped").join(), said);
        const look = stage.decisions.find(({ kind, reason }) => kind === "looked" && reason === "Underutilized");
        assert.match(JSON.stringify(look?.candidates), /not now: no more pods may be moved for a while/);
        await stage.until(() => stage.nodes.length < types.length, 2_400_000);
        assert.equal(stage.count(stopped), 0);
      },
      { settings: { mostPodMovesPercentPerHour: 150 } },
    ));

  it("keep others from being moved after a restart too", () =>
    onDisruptorStage(async (stage) => {
      await move(stage);
      stage.whole.restart();
      stage.scale("web", 11);
      await stage.pass(120_000);
      const { types } = stage;
      await stage.pass(1_800_000);
      assert.deepEqual(stage.types, types);
      assert.equal(stage.count(stopped), 1);
      const noted = stage.decisions.find(({ kind }) => kind === "stopped");
      assert.match(noted?.moves[0]?.because ?? "", /26 pods were moved within an hour and 20 may be/);
      await stage.until(() => stage.nodes.length < types.length, 2_400_000);
      assert.doesNotMatch(movedPods(stage) ?? "", /2026-01-01T00:0/);
    }));

  it("are no obstacle where more may be", () =>
    onDisruptorStage(
      async (stage) => {
        await move(stage);
        stage.scale("web", 11);
        await stage.until(() => stage.nodes.length === 2, 900_000);
        assert.equal(stage.count(stopped), 0);
      },
      { settings: { mostPodMovesPercentPerHour: 1_000 } },
    ));
});
