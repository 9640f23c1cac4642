import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { onDisruptorStage, poolOf, web } from "./disruptor-stage.ts";

describe("empty nodes", () => {
  it("go once their window and the second thought are over", () =>
    onDisruptorStage(async (stage) => {
      await stage.begin([poolOf("general")], [web(3)]);
      assert.equal(stage.nodes.length, 1);
      stage.scale("web", 0);
      await stage.pass(40_000);
      assert.equal(stage.nodes.length, 1);
      await stage.until(() => stage.nodes.length === 0, 60_000);
      assert.deepEqual(stage.events("DisruptionTerminating"), [
        "NodeClaim: Disrupting NodeClaim: Empty",
        "Node: Disrupting Node: Empty",
      ]);
    }));
});
