import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, test } from "node:test";
import type { Fault } from "../../src/embedded/faults/fault.ts";
import { TerminatorStage } from "../support/terminator-stage.ts";

describe("the terminator when things go wrong", () => {
  let stage: TerminatorStage;

  beforeEach(() => {
    stage = new TerminatorStage();
  });

  afterEach(() => stage.stop());

  const writes = { methods: ["POST", "PATCH", "DELETE"] };
  const faults: readonly (readonly [string, Fault])[] = [
    ["conflicts", { effect: "refuse", status: 409, probability: 0.5, on: writes }],
    ["too many requests", { effect: "refuse", status: 429, probability: 0.5, on: writes }],
    ["errors of the server", { effect: "refuse", status: 500, probability: 0.5, on: writes }],
    ["lost requests", { effect: "drop", at: "request", probability: 0.5, on: writes }],
    ["lost answers", { effect: "drop", at: "answer", probability: 0.5, on: writes }],
    ["half answers", { effect: "drop", at: "half-answer", probability: 0.5, on: writes }],
    ["watches that end", { effect: "cut-watch", afterMs: 700, probability: 1 }],
    ["news that come late", { effect: "delay-watch", byMs: 3_000, probability: 1 }],
  ];

  describe("nothing is left of a node, its claim and its machine in spite of", () => {
    for (const [name, fault] of faults) {
      test(name, async () => {
        stage.park.endMilliseconds = 3_000;
        await stage.startWith("a", "b");
        for (const node of ["a", "b"]) for (const pod of [1, 2, 3]) stage.addPod(`${node}-${pod}`, node);
        await stage.clock.advance(2_000);
        await stage.deleteNode("a");
        await stage.deleteClaim("b");
        const end = stage.bench.embedded.faults.inject(fault);
        await stage.clock.advance(30_000);
        end();
        await stage.secondsUntilGone(180_000);
        assert.equal(stage.cluster.pods.size, 0);
        assert.ok(stage.requests.length < 600, `${stage.requests.length} requests`);
      });
    }
  });

  describe("a terminator that takes over", () => {
    test("goes on in the middle of a drain", async () => {
      stage.addNode("a", { spec: { terminationGracePeriod: "120s" } });
      let terminator = await stage.start();
      await stage.clock.advance(2_000);
      stage.addPod("held", "a", { metadata: { annotations: { "karpenter.sh/do-not-disrupt": "true" } } });
      stage.addPod("web", "a");
      await stage.clock.advance(2_000);
      await stage.deleteClaim("a");
      for (let round = 0; round < 12; round++) {
        await stage.clock.advance(7_000);
        await terminator.stop();
        await stage.clock.advance(3_000);
        terminator = stage.startAnother();
      }
      const seconds = await stage.secondsUntilGone(60_000);
      assert.ok(seconds < 10, `${seconds} s`);
      assert.deepEqual(stage.reasonsFor("held"), ["Disrupted"]);
      assert.equal(stage.number('nodes_terminated_total{nodepool="default",zone="zone-a"}'), 1);
    });

    test("finds what was deleted while nobody led", async () => {
      const first = await stage.startWith("a", "b");
      await first.stop();
      await stage.deleteNode("a");
      await stage.deleteClaim("b");
      await stage.clock.advance(30_000);
      assert.deepEqual(stage.left.nodes, ["a", "b"]);
      stage.startAnother();
      await stage.secondsUntilGone(30_000);
    });

    test("does nothing any more once it was stopped", async () => {
      const terminator = await stage.startWith("a");
      await stage.deleteNode("a");
      await stage.clock.advance(1_000);
      await terminator.stop();
      const before = stage.requests.length;
      await stage.clock.advance(60_000);
      assert.equal(stage.requests.length, before);
      assert.deepEqual(stage.left, { claims: ["a"], nodes: ["a"], machines: ["a"] });
    });
  });

  test("a cloud that fails is asked again", async () => {
    await stage.startWith("a");
    let failures = 5;
    const { terminate } = stage.park.cloud;
    Object.assign(stage.park.cloud, {
      terminate: async (identity: Parameters<typeof terminate>[0]) => {
        if (failures-- > 0) throw new Error("the cloud is away");
        return await terminate(identity);
      },
    });
    await stage.deleteClaim("a");
    await stage.secondsUntilGone(60_000);
    assert.ok(failures < 0);
  });
});
