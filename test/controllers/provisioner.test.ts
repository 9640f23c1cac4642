import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { nodePool } from "../scenarios/manifests.ts";
import { fourCores, onStage } from "./provisioner-stage.ts";

const unschedulable = 'scheduler_unschedulable_pods_count{controller="provisioner"}';

describe("pods that wait", () => {
  it("gather until none has come for a second, and are bought for together", () =>
    onStage({}, async (stage) => {
      await stage.lead();
      for (const name of ["a", "b", "c", "d"]) {
        stage.add("900m", name);
        await stage.pass(900);
      }
      const expected = stage.seconds + 0.1;
      await stage.pass(5_000);
      assert.deepEqual(
        stage.times("claim").map((at) => at.toFixed(3)),
        [expected.toFixed(3)],
      );
    }));

  it("gather for ten seconds at the most", () =>
    onStage({}, async (stage) => {
      await stage.lead();
      const first = stage.seconds;
      for (let i = 0; i < 15; i++) {
        stage.add("900m", `web-${i}`);
        await stage.pass(800);
      }
      assert.equal(stage.times("claim")[0], first + 10);
    }));

  it("gather as long as they are told to", () =>
    onStage({ batchIdleMilliseconds: 3_000, batchMaxMilliseconds: 4_000 }, async (stage) => {
      await stage.lead();
      const first = stage.seconds;
      for (const name of ["a", "b", "c"]) {
        stage.add("900m", name);
        await stage.pass(1_800);
      }
      assert.deepEqual(stage.times("claim"), [first + 4]);
    }));

  it("are told where they belong, and counted", () =>
    onStage({}, async (stage) => {
      await stage.lead();
      stage.add("1200m", "a", "b", "c", "d");
      await stage.pass(10_000);
      assert.equal(stage.events("Nominated").length, 4);
      for (const said of stage.events("Nominated"))
        assert.match(said, /^[abcd]: Pod should schedule on: nodeclaim\/general-/);
      const created = 'nodeclaims_created_total{reason="provisioned",nodepool="general",min_values_relaxed="false"}';
      assert.equal(stage.count(created), 2);
      assert.equal(stage.count(unschedulable), 0);
      const { observations } = stage.whole.telemetry;
      assert.deepEqual(observations.get("pods_scheduling_decision_duration_seconds{}"), [1, 1, 1, 1]);
      const durations = observations.get('scheduler_scheduling_duration_seconds{controller="provisioner"}');
      assert.equal(durations?.length, 1);
    }));

  it("find their place on a node that is on its way, and nothing is bought for them", () =>
    onStage({}, async (stage) => {
      stage.whole.cluster.afflict({ effect: "never-ready", share: 1 });
      await stage.lead();
      stage.add("1200m", "a");
      await stage.pass(5_000);
      stage.add("1200m", "b");
      await stage.pass(5_000);
      assert.equal(stage.times("claim").length, 1);
      assert.match(
        stage.events("Nominated").at(-1) ?? "",
        /^b: Pod should schedule on: nodeclaim\/general-.*, node\/kwok-/,
      );
    }));

  it("and go while claims are being written leave nothing behind", () =>
    onStage({}, async (stage) => {
      await stage.lead();
      const on = { methods: ["POST"], path: /\/nodeclaims$/ };
      stage.whole.cluster.faults.inject({ effect: "slow", byMs: 2_000, probability: 1, on });
      stage.add("3", "a");
      await stage.pass(2_000);
      stage.whole.delete(stage.pod("a"));
      await stage.pass(10_000);
      assert.equal(stage.whole.controller.cluster.intendedPods.size, 0);
      assert.equal(stage.times("open").length, 1);
    }));
});

describe("the limits of a pool", () => {
  const limits = { cpu: "8" };

  it("hold in one plan, and those who are left over are told, with the limit", () =>
    onStage({}, async (stage) => {
      stage.whole.load(nodePool("small", { limits, spec: { requirements: fourCores } }));
      stage.whole.start();
      stage.add("3", "a", "b", "c", "d");
      await stage.pass(30_000);
      assert.equal(stage.times("claim").length, 2);
      assert.equal(stage.times("bind").length, 2);
      assert.equal(stage.count(unschedulable), 2);
      const told = new Set(stage.events("FailedScheduling").map((said) => said.split(":")[0]));
      const bound = stage.boundPods;
      for (const name of ["a", "b", "c", "d"]) assert.ok(told.has(name) || bound.includes(name), `${name} is not told`);
      for (const said of stage.events("FailedScheduling"))
        assert.match(said, /Failed to schedule pod, .*Pool "small" has reached its limit: .* of cpu/);
    }));

  it("that claims under way only seem to reach are told to nobody, and those who waited are served on launch", () =>
    onStage({}, async (stage) => {
      // What may become two, four or eight cores counts for eight until it is launched.
      const requirements = [{ key: "karpenter.kwok.sh/instance-cpu", operator: "In", values: ["2", "4", "8"] }];
      stage.whole.load(nodePool("small", { limits, spec: { requirements } }));
      const on = { methods: ["POST"], path: /\/nodes$/ };
      stage.whole.cluster.faults.inject({ effect: "slow", byMs: 4_000, probability: 1, on });
      stage.whole.start();
      stage.add("1500m", "a");
      await stage.pass(1_500);
      stage.addByHand("b", { cpu: "1500m" });
      await stage.pass(2_000);
      assert.equal(stage.times("claim").length, 1);
      assert.deepEqual(stage.events("FailedScheduling"), []);
      await stage.pass(15_000);
      const [first = 0, second = 0] = stage.times("claim");
      // Four until the machine is there, and one in which pods gather.
      assert.ok(second - first <= 5.1, `bought after ${second - first} s`);
      assert.match(stage.events("Nominated").at(-1) ?? "", /^b: Pod should schedule on: nodeclaim\/small-/);
      assert.deepEqual(stage.events("FailedScheduling"), []);
    }));

  it("hold though the answers to claims are lost", () =>
    onStage({}, async (stage) => {
      const on = { methods: ["POST"], path: /\/nodeclaims$/ };
      stage.whole.load(nodePool("small", { limits, spec: { requirements: fourCores } }));
      stage.whole.cluster.faults.inject({ effect: "drop", at: "answer", probability: 1, times: 2, on });
      stage.whole.start();
      stage.add("3", "a", "b", "c");
      await stage.pass(30_000);
      assert.deepEqual([stage.times("claim").length, stage.times("bind").length], [2, 2]);
    }));
});

describe("a claim that cannot be written", () => {
  it("sets its pods free, and holds up none of its batch", () =>
    onStage({}, async (stage) => {
      await stage.lead();
      let refused = 0;
      stage.whole.tamper = (request) => {
        const isClaim = request.method === "POST" && request.path.endsWith("/nodeclaims");
        return isClaim && refused++ === 0 ? { status: 403, body: { message: "not today" } } : request;
      };
      stage.add("3", "a", "b");
      const added = stage.seconds;
      await stage.pass(20_000);
      const [first = 0, second = 0] = stage.times("open");
      assert.ok(first - added < 2, `the other node is opened after ${first - added} s`);
      assert.ok(second - added < 6, `the one that was refused after ${second - added} s`);
      assert.equal(stage.times("bind").length, 2);
      const errors = stage.whole.telemetry.lines.filter(({ level }) => level === "error");
      assert.deepEqual(
        errors.map(({ message }) => message),
        ["cannot provision, trying again"],
      );
      assert.equal(stage.count('controller_runtime_reconcile_errors_total{controller="provisioner"}'), 1);
    }));
});
