import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { apart, budget, type Manifest, nodeClass } from "../scenarios/manifests.ts";
import type { Wire } from "../support/builders.ts";
import { cores, type DisruptorStage, onDisruptorStage, poolOf, web } from "./disruptor-stage.ts";
import { beginWasteful, large, relabel, replacementsBought, small } from "./wasteful-stage.ts";

describe("a move whose replacement takes five minutes to join", () => {
  const slow = nodeClass("default", { nodeRegistrationDelay: "5m" });
  const edit = (stage: DisruptorStage, pool: Manifest): void =>
    stage.whole.change(poolOf("general"), (current) => ({
      ...current,
      metadata: { ...(current.metadata as object), annotations: (pool.metadata as Wire).annotations } as never,
      spec: { ...(current.spec as object), disruption: (pool.spec as Wire).disruption } as never,
    }));
  const arrivals: readonly (readonly [string, (stage: DisruptorStage) => void, number])[] = [
    [
      "the pool is paused",
      (stage) => edit(stage, poolOf("general", { annotations: { "karpenter.sh/paused": "true" } })),
      1_000,
    ],
    ["a budget lets no pod go for ever", (stage) => stage.whole.load(budget("web", { maxUnavailable: 0 })), 10_000],
    [
      "the pool lets no more nodes go",
      (stage) => edit(stage, poolOf("general", { disruption: { budgets: [{ nodes: "0" }] } })),
      10_000,
    ],
    [
      "the pool lets no more nodes go from some time on",
      (stage) => {
        // It is at most five minutes after midnight.
        const budgets = [{ nodes: "0", schedule: "5 0 * * *", duration: "1h" }];
        edit(stage, poolOf("general", { disruption: { budgets } }));
      },
      300_000,
    ],
  ];
  for (const [what, arrive, within] of arrivals) {
    it(`is taken back within ${within / 1000} s when ${what}`, () =>
      onDisruptorStage(async (stage) => {
        await beginWasteful(stage);
        stage.whole.change(slow, (current) => ({ ...current, spec: slow.spec }) as never);
        await stage.until(() => replacementsBought(stage) > 0, 120_000);
        const [pod] = stage.pods;
        arrive(stage);
        await stage.until(() => stage.marked.length === 0, within);
        await stage.pass(600_000);
        assert.deepEqual([stage.types.includes(large), stage.pods[0]?.metadata.uid], [true, pod?.metadata.uid]);
      }));
  }

  it("is taken back where fewer may go at once now, and the others go on", () =>
    onDisruptorStage(async (stage) => {
      const disruption = { consolidateAfter: "Never" };
      await stage.begin([poolOf("general", { disruption })], [web(4, { spec: apart("web") })]);
      stage.whole.change(slow, (current) => ({ ...current, spec: slow.spec }) as never);
      relabel(stage);
      await stage.until(() => stage.going === 4, 120_000);
      edit(stage, poolOf("general", { disruption: { ...disruption, budgets: [{ nodes: "2" }] } }));
      await stage.pass(15_000);
      assert.equal(stage.going, 2);
      await stage.pass(200_000);
      assert.equal(stage.going, 2);
    }));

  it("goes on when the pool lets it go and others less", () =>
    onDisruptorStage(async (stage) => {
      await beginWasteful(stage);
      await stage.until(() => replacementsBought(stage) > 0, 120_000);
      const budgets = [{ nodes: "1" }, { nodes: "0", reasons: ["Drifted", "Empty"] }];
      edit(stage, poolOf("general", { disruption: { budgets } }));
      await stage.until(() => stage.types.join() === small, 60_000);
    }));
});

describe("a budget that lets no pod go for now", () => {
  for (const [what, act] of [
    ["by a controller that starts anew", (stage: DisruptorStage) => stage.whole.restart()],
    [
      "when the cloud does not say what it sells",
      (stage: DisruptorStage) => {
        stage.whole.market.instanceTypes = [];
      },
    ],
  ] as const) {
    it(`is waited for, also ${what}`, () =>
      onDisruptorStage(async (stage) => {
        await beginWasteful(stage);
        await stage.until(() => replacementsBought(stage) > 0, 120_000);
        stage.whole.load(budget("web", { minAvailable: 1 }));
        await stage.pass(120_000);
        const names = stage.claims.map(({ metadata }) => metadata.name);
        act(stage);
        await stage.pass(120_000);
        const staying = stage.claims.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
        assert.deepEqual(
          staying.map(({ metadata }) => metadata.name),
          names,
        );
        stage.whole.delete(budget("web", {}));
        await stage.until(() => stage.types.join() === small, 120_000);
      }));
  }
});

describe("a single pod that its owner replaces before it goes", () => {
  it("is moved although its budget lets it go nowhere, and never missed", () =>
    onDisruptorStage(async (stage) => {
      const annotations = { "karpenter.sh/drain-strategy": "surge" };
      const one = budget("web", { minAvailable: 1 });
      await stage.begin([poolOf("general", { requirements: cores(2, 8) })], [web(7, { annotations })]);
      stage.scale("web", 1);
      stage.whole.load(one);
      let fewest = 1;
      await stage.until(() => {
        fewest = Math.min(fewest, stage.pods.filter(({ status }) => (status as Wire).phase === "Running").length);
        return stage.types.join() === small;
      }, 300_000);
      assert.equal(fewest, 1);
    }));
});
