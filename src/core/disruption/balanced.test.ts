import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { modelClaim, modelNode } from "../../../test/support/model-machine.ts";
import { modelPod } from "../../../test/support/model-pod.ts";
import { modelPool } from "../../../test/support/model-pool.ts";
import { ClusterState } from "../cluster/cluster-state.ts";
import type { InstanceType } from "../model/instance-type.ts";
import { requirementsFromLabels } from "../model/requirements.ts";
import { leastSaving, type PoolTotals, scoreOf, totalsOf } from "./balanced.ts";

const balanced = modelPool("general", { disruption: { consolidationPolicy: "Balanced" } }).disruption;
const totals: PoolTotals = { cost: 10, disturbance: 40 };

describe("totalsOf", () => {
  it("adds up all machines of the pool, whether they have a node or a price", () => {
    const cluster = new ClusterState();
    const place = new Map([
      ["topology.kubernetes.io/zone", "zone-a"],
      ["karpenter.sh/capacity-type", "spot"],
    ]);
    const small = {
      name: "small",
      offerings: [{ requirements: requirementsFromLabels(place), price: 3 }],
    } as unknown as InstanceType;
    const machine = (name: string, type: string, pool = "general"): void => {
      const labels = new Map([...place, ["node.kubernetes.io/instance-type", type], ["karpenter.sh/nodepool", pool]]);
      cluster.claims.put(name, modelClaim({ name, labels, providerId: `test://${name}` }));
    };
    machine("a", "small");
    machine("b", "small");
    machine("c", "unknown");
    machine("d", "small", "other");
    cluster.nodes.put("a", modelNode({ name: "a", providerId: "test://a" }));
    cluster.pods.put("default/web", modelPod("web", { nodeName: "a" }));
    cluster.pods.put("default/done", modelPod("done", { nodeName: "a", phase: "Failed" }));
    assert.deepEqual(totalsOf(cluster, "general", [small]), { cost: 6, disturbance: 4 });
    assert.deepEqual(totalsOf(cluster, "nothing", [small]), { cost: 0, disturbance: 0 });
  });
});

describe("scoreOf", () => {
  it("is the share of the cost saved over the share of the disturbance", () => {
    assert.equal(scoreOf({ savings: 2, disturbance: 2 }, totals), 4);
    assert.ok(Math.abs(scoreOf({ savings: 0.5, disturbance: 20 }, totals) - 0.1) < 1e-12);
  });

  it("is nothing without a saving or a measure", () => {
    assert.equal(scoreOf({ savings: 0, disturbance: 1 }, totals), 0);
    assert.equal(scoreOf({ savings: -1, disturbance: 1 }, totals), 0);
    assert.equal(scoreOf({ savings: 1, disturbance: 1 }, { cost: 0, disturbance: 4 }), 0);
    assert.equal(scoreOf({ savings: 1, disturbance: 1 }, { cost: 4, disturbance: 0 }), 0);
  });
});

describe("leastSaving", () => {
  const underutilized = { ...balanced, consolidationPolicy: "WhenEmptyOrUnderutilized" } as const;

  it("asks more of moves under Balanced than under WhenEmptyOrUnderutilized", () => {
    assert.equal(leastSaving(balanced, totals), 0.125);
    assert.equal(leastSaving({ ...balanced, balancedThreshold: 2 }, totals), 0.5);
    assert.equal(leastSaving(underutilized, totals), 0.0625);
  });

  it("finds no saving enough for Balanced where there is no measure, and any otherwise", () => {
    assert.equal(leastSaving(balanced, { cost: 0, disturbance: 4 }), Number.POSITIVE_INFINITY);
    assert.equal(leastSaving(underutilized, { cost: 0, disturbance: 4 }), 0);
  });

  it("draws the line where the score reaches the threshold", () => {
    const amount = fc.double({ min: 0.01, max: 1000, noNaN: true });
    fc.assert(
      fc.property(amount, amount, amount, amount, fc.double({ min: 0.1, max: 3, noNaN: true }), (...numbers) => {
        const [cost, all, savings, disturbance, balancedThreshold] = numbers;
        const pool = { cost, disturbance: all };
        const score = scoreOf({ savings, disturbance }, pool);
        // Right at the line, rounding decides.
        fc.pre(Math.abs(score / balancedThreshold - 1) > 1e-9);
        const isEnough = savings >= leastSaving({ ...balanced, balancedThreshold }, pool) * disturbance;
        assert.equal(isEnough, score >= balancedThreshold);
      }),
    );
  });
});
