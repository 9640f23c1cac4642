import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { apart, pod } from "../scenarios/manifests.ts";
import { cores, type DisruptorStage, onDisruptorStage, poolOf, web } from "./disruptor-stage.ts";

/** Pods that share no node, so that there are as many nodes as pods. */
const loners = (count: number, name = "web") => web(count, { spec: apart(name) }, name);

async function passWatching(stage: DisruptorStage, milliseconds: number): Promise<number> {
  let most = 0;
  for (let passed = 0; passed < milliseconds; passed += 500) {
    await stage.pass(500);
    most = Math.max(most, stage.going);
  }
  return most;
}

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
      const cause = 'reason="empty",nodepool="general",capacity_type="on-demand"';
      const policy = 'consolidation_policy="when_empty_or_underutilized",termination_mode="graceful"';
      assert.equal(stage.count(`nodeclaims_disrupted_total{${cause},${policy}}`), 1);
      const decided = 'decision="delete",reason="empty",consolidation_type="empty"';
      assert.equal(stage.count(`voluntary_disruption_decisions_total{${decided}}`), 1);
      assert.deepEqual(
        stage.decisions.filter(({ reason }) => reason === "Empty").map(({ kind, moves }) => [kind, moves.length]),
        [
          ["done", 1],
          ["started", 1],
          ["looked", 1],
        ],
      );
    }));

  it("go as many at once as budgets allow", () =>
    onDisruptorStage(async (stage) => {
      const disruption = { budgets: [{ nodes: "2", reasons: ["Empty"] }], consolidationPolicy: "WhenEmpty" };
      await stage.begin([poolOf("general", { disruption })], [loners(5)]);
      assert.equal(stage.nodes.length, 5);
      stage.scale("web", 0);
      assert.equal(await passWatching(stage, 180_000), 2);
      assert.equal(stage.nodes.length, 0);
    }));

  it("stay when a pod comes while it is thought over", () =>
    onDisruptorStage(async (stage) => {
      await stage.begin([poolOf("general")], [loners(2)]);
      stage.scale("web", 0);
      await stage.until(() => stage.decisions.some(({ reason, moves }) => reason === "Empty" && moves.length > 0));
      const [first] = stage.nodes;
      stage.whole.load(pod("late", { cpu: "1", spec: { nodeName: first?.metadata.name } }));
      await stage.pass(60_000);
      assert.deepEqual(
        stage.nodes.map(({ metadata }) => metadata.name),
        [first?.metadata.name],
      );
      assert.deepEqual(stage.marked, []);
      assert.equal(stage.count('voluntary_disruption_failed_validations_total{consolidation_type="empty"}'), 1);
      assert.equal(stage.events("ConsolidationRejected").length, 2);
    }));

  it("stay in a pool that is paused", () =>
    onDisruptorStage(async (stage) => {
      await stage.begin([poolOf("general", { annotations: { "karpenter.sh/paused": "true" } })], [web(1)]);
      stage.scale("web", 0);
      await stage.pass(120_000);
      assert.equal(stage.nodes.length, 1);
    }));
});

describe("drifted nodes", () => {
  const relabel = (stage: DisruptorStage): void =>
    stage.whole.change(poolOf("general"), (current) => {
      const spec = current.spec as { template: { metadata?: object; spec: object } };
      const template = { ...spec.template, metadata: { labels: { team: "a" } } };
      return { ...current, spec: { ...spec, template } } as typeof current;
    });

  it("are replaced one after the other, each only when its replacement is up", () =>
    onDisruptorStage(async (stage) => {
      const disruption = { budgets: [{ nodes: "1" }], consolidateAfter: "Never" };
      await stage.begin([poolOf("general", { disruption })], [loners(3)]);
      const before = stage.nodes.map(({ metadata }) => metadata.name);
      relabel(stage);
      let most = 0;
      await stage.until(() => {
        most = Math.max(most, stage.going);
        return stage.nodes.length === 3 && stage.nodes.every(({ metadata }) => !before.includes(metadata.name));
      });
      assert.equal(most, 1);
      assert.equal(
        stage.count('nodeclaims_created_total{reason="drifted",nodepool="general",min_values_relaxed="false"}'),
        3,
      );
      assert.deepEqual(stage.events("DisruptionWaitingReadiness"), [
        "NodeClaim: Waiting on readiness to continue disruption",
      ]);
      await stage.pass(120_000);
      assert.deepEqual({ nodes: stage.nodes.length, marked: stage.marked }, { nodes: 3, marked: [] });
    }));

  it("stay where replacements never come up, and no more of these are bought than one", () =>
    onDisruptorStage(async (stage) => {
      const disruption = { budgets: [{ nodes: "10%" }], consolidateAfter: "Never" };
      await stage.begin([poolOf("general", { disruption })], [loners(2)]);
      const before = stage.nodes.map(({ metadata }) => metadata.name);
      const startupTaints = [{ key: "example.com/never", effect: "PreferNoSchedule" }];
      const changed = poolOf("general", { spec: { startupTaints } }).spec as { template: object };
      stage.whole.change(poolOf("general"), (current) => ({
        ...current,
        spec: { ...(current.spec as object), template: changed.template } as never,
      }));
      let most = 0;
      for (let minutes = 0; minutes < 180; minutes++) {
        await stage.pass(60_000);
        most = Math.max(most, stage.nodes.length);
      }
      assert.deepEqual([stage.nodes.length, most], [3, 3]);
      const names = stage.nodes.map(({ metadata }) => metadata.name);
      assert.ok(before.every((name) => names.includes(name)));
      assert.deepEqual(stage.marked, []);
      assert.match(
        stage.decisions.flatMap(({ candidates }) => candidates.map(({ because }) => because)).join(),
        /its pods would go to .*, which is not initialized/,
      );
    }));

  it("stay when a pod would have nowhere to go, and say which", () =>
    onDisruptorStage(async (stage) => {
      const disruption = { consolidateAfter: "Never" };
      await stage.begin([poolOf("general", { disruption })], [web(1, { cpu: "3" })]);
      const narrower = poolOf("general", { requirements: cores(2) }).spec as { template: object };
      stage.whole.change(poolOf("general"), (current) => ({
        ...current,
        spec: { ...(current.spec as object), template: narrower.template } as never,
      }));
      await stage.pass(60_000);
      assert.equal(stage.nodes.length, 1);
      assert.match(stage.events("DisruptionBlocked").join(), /Node: pod default\/web-.* has nowhere else to go/);
    }));

  it("of a static pool make way for as many others", () =>
    onDisruptorStage(async (stage) => {
      const disruption = { budgets: [{ nodes: "1" }] };
      const pool = poolOf("general", {
        disruption,
        replicas: 2,
        requirements: [
          ...cores(4),
          { key: "node.kubernetes.io/instance-type", operator: "In", values: ["c-4x-amd64-linux"] },
        ],
      });
      stage.whole.load(pool);
      stage.whole.start();
      await stage.until(() => stage.nodes.length === 2);
      await stage.pass(30_000);
      const before = stage.nodes.map(({ metadata }) => metadata.name);
      relabel(stage);
      let most = 0;
      await stage.until(() => {
        most = Math.max(most, stage.claims.length);
        return stage.nodes.length === 2 && stage.nodes.every(({ metadata }) => !before.includes(metadata.name));
      });
      assert.equal(most, 3);
      const bought = stage.whole.sent.filter(
        ({ request, status }) => request.method === "POST" && request.path.endsWith("/nodeclaims") && status === 201,
      );
      assert.equal(bought.length, 4);
    }));
});

describe("nodes whose pods cost less elsewhere", () => {
  it("go when others have room for their pods", () =>
    onDisruptorStage(async (stage) => {
      await stage.begin([poolOf("general")], [web(3), web(3, {}, "other")]);
      assert.equal(stage.nodes.length, 2);
      stage.scale("web", 1);
      stage.scale("other", 2);
      await stage.until(() => stage.nodes.length === 1, 120_000);
      await stage.pass(120_000);
      assert.equal(stage.nodes.length, 1);
      assert.equal(
        stage.count(
          'consolidation_moves_total{decision="approved",nodepool="general",policy="WhenEmptyOrUnderutilized"}',
        ),
        1,
      );
    }));

  it("are replaced by cheaper ones, which come first", () =>
    onDisruptorStage(async (stage) => {
      await stage.begin([poolOf("general", { requirements: cores(2, 8) })], [web(7)]);
      assert.deepEqual(stage.types, ["c-8x-amd64-linux"]);
      stage.scale("web", 1);
      await stage.until(() => stage.nodes.length === 2, 120_000);
      assert.equal(stage.claims.filter(({ metadata }) => metadata.deletionTimestamp !== undefined).length, 0);
      await stage.until(() => stage.types.join() === "c-2x-amd64-linux", 120_000);
      await stage.pass(900_000);
      assert.deepEqual(stage.types, ["c-2x-amd64-linux"]);
      assert.deepEqual(stage.marked, []);
      const [done] = stage.decisions.filter(({ kind }) => kind === "done");
      assert.equal(done?.moves[0]?.replacements[0]?.instanceType, "c-2x-amd64-linux");
      assert.ok((done?.moves[0]?.savings ?? 0) > 0);
    }));

  it("stay where the policy lets only empty nodes go, and say so", () =>
    onDisruptorStage(async (stage) => {
      const disruption = { consolidationPolicy: "WhenEmpty" };
      await stage.begin([poolOf("general", { disruption })], [web(3), web(3, {}, "other")]);
      stage.scale("web", 1);
      stage.scale("other", 1);
      await stage.pass(180_000);
      assert.equal(stage.nodes.length, 2);
      assert.match(stage.events("Unconsolidatable").join(), /policy WhenEmpty/);
    }));

  it("are looked at once while nothing changes, and the journal says it once", () =>
    onDisruptorStage(async (stage) => {
      await stage.begin([poolOf("general")], [web(3)]);
      await stage.pass(120_000);
      const looks = () => stage.decisions.filter(({ reason }) => reason === "Underutilized").length;
      const before = looks();
      await stage.pass(3_600_000);
      assert.equal(looks(), before);
      assert.match(stage.decisions[0]?.candidates[0]?.because ?? "", /./);
      assert.equal(stage.nodes.length, 1);
    }));

  it("go as many at once as budgets allow", () =>
    onDisruptorStage(async (stage) => {
      const disruption = { budgets: [{ nodes: "2" }] };
      await stage.begin(
        [poolOf("general", { requirements: cores(8), disruption })],
        [web(7), web(7, {}, "b"), web(7, {}, "c"), web(7, {}, "d")],
      );
      assert.equal(stage.nodes.length, 4);
      for (const name of ["web", "b", "c", "d"]) stage.scale(name, 1);
      let most = 0;
      await stage.until(() => {
        most = Math.max(most, stage.going);
        return stage.nodes.length === 1;
      });
      assert.equal(most, 2);
    }));

  it("that go later are shunned by pods meanwhile, and when all is done no node is", () =>
    onDisruptorStage(async (stage) => {
      await stage.begin(
        [poolOf("general", { requirements: cores(8), disruption: { budgets: [{ nodes: "1" }] } })],
        [web(4, { cpu: "6", spec: apart("web") })],
      );
      stage.whole.load(web(4, {}, "small"));
      await stage.pass(10_000);
      assert.equal(stage.nodes.length, 4);
      stage.scale("web", 0);
      const seen = new Set<string>();
      let mostShunned = 0;
      await stage.until(() => {
        for (const { metadata } of stage.pods) if (metadata.name.startsWith("small")) seen.add(metadata.name);
        mostShunned = Math.max(mostShunned, stage.shunned.length);
        return stage.nodes.length === 1;
      });
      assert.equal(mostShunned, 3);
      // Three of four have moved, once each.
      assert.equal(seen.size, 4 + 3);
      await stage.pass(60_000);
      assert.deepEqual(stage.shunned, []);
    }));

  it("go under Balanced only when it is worth it", () =>
    onDisruptorStage(async (stage) => {
      const disruption = { consolidationPolicy: "Balanced" };
      const annotations = { "karpenter.sh/balanced-threshold": "100" };
      await stage.begin([poolOf("general", { disruption, annotations })], [web(3), web(3, {}, "other")]);
      stage.scale("web", 1);
      stage.scale("other", 2);
      await stage.pass(180_000);
      assert.equal(stage.nodes.length, 2);
      assert.match(stage.events("Unconsolidatable").join(), /less than the .* that the disturbance must be worth/);
      stage.whole.change(poolOf("general"), (current) => ({
        ...current,
        metadata: { ...(current.metadata as object), annotations: {} } as never,
      }));
      await stage.until(() => stage.nodes.length === 1, 180_000);
      assert.match(stage.events("ConsolidationApproved").join(), /NodeClaim: score .* >= threshold 0.50/);
    }));

  it("stay for an hour when so many pods were moved that more would be a nuisance", () =>
    onDisruptorStage(async (stage) => {
      const small = { cpu: "200m" };
      await stage.begin(
        [poolOf("general", { requirements: cores(2, 8, 16) })],
        [web(24, small), web(1, { cpu: "8" }, "b")],
      );
      assert.deepEqual(stage.types, ["c-16x-amd64-linux"]);
      stage.scale("b", 0);
      await stage.until(() => !stage.types.includes("c-16x-amd64-linux"), 300_000);
      stage.scale("web", 9);
      // One of the nodes is empty then, and goes.
      await stage.pass(120_000);
      const { types } = stage;
      await stage.pass(1_800_000);
      assert.deepEqual(stage.types, types);
      assert.equal(stage.count("voluntary_disruption_stopped{}"), 1);
      assert.match(stage.events("DisruptionStopped").join(), /NodePool: 24 pods were moved within an hour/);
      await stage.until(() => stage.nodes.length < types.length, 2_400_000);
      assert.equal(stage.count("voluntary_disruption_stopped{}"), 0);
    }));
});
