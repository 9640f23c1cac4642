import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { modelClaim, modelCondition, modelNode } from "../../../test/support/model-machine.ts";
import { modelNodeBudget, modelPool } from "../../../test/support/model-pool.ts";
import { ClusterState } from "../cluster/cluster-state.ts";
import type { NodeClaim } from "../model/node-claim.ts";
import type { NodeObject } from "../model/node-object.ts";
import { parseCronSchedule } from "../model/parse-cron-schedule.ts";
import type { DisruptionReason, NodeBudget } from "../model/pool-disruption.ts";
import { countPool, describeBudget, nodesAllowed, overdrawnBudget } from "./node-budgets.ts";

const unlimited = 2_147_483_647;
const nine = Date.parse("2026-03-02T09:00:00Z");
const hour = 3_600_000;

function allowed(
  budgets: readonly NodeBudget[],
  { reason = "Empty" as DisruptionReason, nodes = 10, disrupting = 0, now = nine } = {},
) {
  return nodesAllowed(modelPool("general", { disruption: { budgets } }), reason, { nodes, disrupting, now });
}

function scheduled(nodes: string, schedule: string, hours: number): NodeBudget {
  const parsed = parseCronSchedule(schedule);
  assert.ok(!("problem" in parsed));
  return modelNodeBudget(nodes, { window: { schedule: parsed, durationMilliseconds: hours * hour } });
}

describe("nodesAllowed", () => {
  it("rounds a share up", () => {
    const budget = modelNodeBudget("5%");
    assert.deepEqual(allowed([budget]), { allowed: 1, usable: 1, because: budget });
    assert.equal(allowed([budget], { nodes: 21 }).allowed, 2);
    assert.equal(allowed([budget], { nodes: 0 }).allowed, 0);
    assert.equal(allowed([modelNodeBudget("100%")]).allowed, 10);
  });

  it("takes off what is going or not ready already", () => {
    assert.equal(allowed([modelNodeBudget("4")], { disrupting: 3 }).usable, 1);
    assert.equal(allowed([modelNodeBudget("4")], { disrupting: 9 }).usable, 0);
    assert.equal(allowed([modelNodeBudget("0")]).usable, 0);
  });

  it("goes by the strictest budget that is for the reason", () => {
    const drifted = modelNodeBudget("1", { reasons: new Set(["Drifted"]) });
    const all = modelNodeBudget("3");
    assert.deepEqual(allowed([all, drifted]), { allowed: 3, usable: 3, because: all });
    assert.deepEqual(allowed([all, drifted], { reason: "Drifted" }), { allowed: 1, usable: 1, because: drifted });
  });

  it("knows no bound where no budget counts", () => {
    const none = { allowed: unlimited, usable: unlimited, because: undefined };
    assert.deepEqual(allowed([]), none);
    assert.deepEqual(allowed([modelNodeBudget("0", { reasons: new Set(["Drifted"]) })]), none);
    assert.deepEqual(allowed([scheduled("0", "0 12 * * *", 1)]), none);
  });

  it("counts a scheduled budget from its minute on until its time is over", () => {
    const budget = scheduled("0", "0 9 * * *", 8);
    const at = (now: number) => allowed([budget], { now }).allowed;
    assert.deepEqual([nine - 1, nine, nine + 8 * hour - 1, nine + 8 * hour].map(at), [unlimited, 0, 0, unlimited]);
  });

  it("lets nothing go that a malformed budget would have governed, and all the rest", () => {
    const malformed = modelNodeBudget("5", { problem: "schedule is not one", reasons: new Set(["Underutilized"]) });
    assert.equal(allowed([malformed], { reason: "Underutilized" }).allowed, 0);
    assert.equal(allowed([malformed, modelNodeBudget("2")], { reason: "Empty" }).allowed, 2);
    assert.equal(describeBudget(malformed), "a malformed budget for Underutilized: schedule is not one");
    assert.equal(describeBudget(modelNodeBudget("5%")), "the budget of 5%");
  });

  it("never lets more go than any budget does on its own, nor more than are left", () => {
    const amount = fc.oneof(
      fc.nat(100).map((percent) => `${percent}%`),
      fc.nat(30).map(String),
    );
    const budgets = fc.array(amount.map((nodes) => modelNodeBudget(nodes)));
    fc.assert(
      fc.property(budgets, fc.nat(50), fc.nat(50), (several, nodes, disrupting) => {
        const together = allowed(several, { nodes, disrupting });
        for (const one of several) assert.ok(together.allowed <= allowed([one], { nodes, disrupting }).allowed);
        assert.equal(together.usable, Math.max(0, together.allowed - disrupting));
      }),
    );
  });
});

describe("overdrawnBudget", () => {
  const going = (...reasons: readonly DisruptionReason[]) =>
    reasons.map((reason, index) => ({ claimName: `claim-${index}`, reason }));
  const drifted = modelNodeBudget("1", { reasons: new Set(["Drifted"]) });
  const all = modelNodeBudget("30%");
  const pool = modelPool("general", { disruption: { budgets: [drifted, all] } });
  const count = { nodes: 10, now: nine };

  it("finds none as long as they let as many go as are going", () => {
    assert.equal(overdrawnBudget(pool, "Drifted", { ...count, going: going("Drifted", "Empty", "Empty") }), undefined);
    assert.equal(overdrawnBudget(pool, "Empty", { ...count, going: going("Drifted", "Drifted") }), undefined);
  });

  it("counts against each budget what it governs", () => {
    assert.equal(overdrawnBudget(pool, "Drifted", { ...count, going: going("Drifted", "Drifted") }), drifted);
    const many = going("Drifted", "Empty", "Empty", "Underutilized");
    assert.equal(overdrawnBudget(pool, "Drifted", { ...count, going: many }), all);
    assert.equal(overdrawnBudget(pool, "Empty", { ...count, going: many }), all);
  });
});

describe("countPool", () => {
  it("counts initialized nodes that still run, and those of them that are not ready or going", () => {
    const cluster = new ClusterState();
    const machine = (name: string, claim: Partial<NodeClaim> = {}, node: Partial<NodeObject> = {}): void => {
      const providerId = `test://${name}`;
      const labels = new Map([["karpenter.sh/nodepool", "general"]]);
      cluster.claims.put(name, modelClaim({ name, providerId, labels, ...claim }));
      const nodeLabels = new Map([["karpenter.sh/initialized", "true"]]);
      cluster.nodes.put(name, modelNode({ name, providerId, labels: nodeLabels, ...node }));
    };
    machine("fine");
    machine("not-ready", {}, { conditions: [{ type: "Ready", status: "Unknown", lastTransitionTime: 0 }] });
    machine("without-conditions", {}, { conditions: [] });
    machine("deleting", { deletedAt: 1 });
    machine("node-deleting", {}, { deletedAt: 1 });
    machine("chosen", { conditions: [modelCondition("DisruptionReason", "True")] });
    machine("uninitialized", {}, { labels: new Map() });
    machine("ended", { conditions: [modelCondition("InstanceTerminating", "True")] });
    machine("other", { labels: new Map([["karpenter.sh/nodepool", "other"]]) });
    cluster.claims.put(
      "waiting",
      modelClaim({ name: "waiting", labels: new Map([["karpenter.sh/nodepool", "general"]]) }),
    );
    assert.deepEqual(countPool(cluster, "general"), { nodes: 6, disrupting: 5 });
    assert.deepEqual(countPool(cluster, "nothing"), { nodes: 0, disrupting: 0 });
  });
});
