import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { InProcessPlanner } from "../../src/adapters/planner/in-process-planner.ts";
import { Allowances } from "../../src/controllers/disruptor/allowances.ts";
import type { Order } from "../../src/controllers/disruptor/command.ts";
import type { Planner } from "../../src/ports/planner.ts";
import { catalogue, ModelStage } from "./disruptor-consolidation-stage.ts";

function inWords(orders: readonly Order[]): readonly string[] {
  return orders
    .map(({ candidates, launches }) => {
      const gone = candidates.map(({ node }) => node.name).join("+");
      return `${gone} → ${launches.map(({ instanceType }) => instanceType).join("+") || "nothing"}`;
    })
    .sort();
}

/** One node whose pod fits on another, and one that a smaller one would do for. */
function deleteAndReplace(): ModelStage {
  const stage = new ModelStage();
  stage.addStranger("stranger");
  stage.addNode("deleted", "big");
  stage.addPod("free", "deleted", 1);
  stage.addNode("replaced", "big");
  stage.addPod("bound", "replaced", 1, true);
  return stage;
}

const both = ["deleted → nothing", "replaced → small"];

describe("moves that are looked at again", () => {
  it("are done when nothing has changed", async () => {
    const stage = deleteAndReplace();
    const orders = await stage.propose();
    assert.deepEqual(inWords(orders), both);
    assert.deepEqual(inWords(await stage.confirm(orders)), both);
  });

  it("are dropped one by one: no node goes whose pods count on what is bought for others", async () => {
    const stage = deleteAndReplace();
    const orders = await stage.propose();
    stage.addPod("late", "stranger", 8);
    assert.deepEqual(inWords(await stage.confirm(orders)), ["replaced → small"]);
    assert.match(stage.said("ConsolidationRejected"), /delete 1 node, reason: its pods would need another machine now/);
  });

  it("are dropped when a pod has come that has room nowhere", async () => {
    const stage = deleteAndReplace();
    const orders = await stage.propose();
    stage.addPod("late", "replaced", 2, true);
    assert.deepEqual(inWords(await stage.confirm(orders)), ["deleted → nothing"]);
  });

  it("are dropped when what they would buy is sold out, or beyond the limits of its pool", async () => {
    const stage = deleteAndReplace();
    const orders = await stage.propose();
    stage.setPool({}, new Map([["cpu", 17_000]]));
    assert.deepEqual(inWords(await stage.confirm(orders)), ["deleted → nothing"]);
    assert.match(stage.said("ConsolidationRejected"), /the limit of NodePool "general" on cpu leaves no room/);
    stage.setPool({}, new Map([["cpu", 18_000]]));
    assert.deepEqual(inWords(await stage.confirm(orders)), both);
    stage.instanceTypes = catalogue(["big"]);
    assert.deepEqual(inWords(await stage.confirm(orders)), ["deleted → nothing"]);
    assert.match(stage.said("ConsolidationRejected"), /small cannot be bought in a any more/);
  });

  it("are judged all at once", async () => {
    const stage = deleteAndReplace();
    const orders = await stage.propose();
    const look = await stage.look();
    let judged = 0;
    const judge = look.judge.bind(look);
    look.judge = (...question) => {
      judged++;
      return judge(...question);
    };
    assert.equal((await stage.confirm(orders, look)).length, 2);
    assert.equal(judged, 1);
  });
});

describe("what budgets do not allow all at once", () => {
  it("begins with what saves most, also where that is a piece of something larger", async () => {
    const stage = new ModelStage();
    const nodes = { kind: "count", count: 1 } as const;
    stage.setPool({ budgets: [{ nodes, window: undefined, reasons: undefined, problem: undefined }] });
    stage.addStranger("stranger");
    stage.addNode("cheap", "small");
    for (const name of ["a", "b"]) stage.addPod(name, "cheap", 1);
    for (const name of ["dear-1", "dear-2"]) {
      stage.addNode(name, "big");
      stage.addPod(`on-${name}`, name, 0.5, true);
    }
    const [order, ...others] = await stage.propose();
    assert.deepEqual(others, []);
    assert.match(inWords(order === undefined ? [] : [order]).join(), /^dear-[12] → small$/);
  });
});

describe("Balanced", () => {
  const policy = { consolidationPolicy: "Balanced" } as const;
  const counted = (decision: string): string =>
    `consolidation_moves_total{decision="${decision}",nodepool="general",policy="Balanced"}`;
  const scored = (decision: string): string =>
    `consolidation_score{decision="${decision}",nodepool="general",policy="Balanced"}`;

  it("approves with a score that is at least the threshold", async () => {
    const stage = deleteAndReplace();
    stage.setPool(policy);
    const confirmed = await stage.confirm(await stage.propose());
    assert.deepEqual(inWords(confirmed), both);
    assert.equal(stage.telemetry.numbers.get(counted("approved")), 2);
    assert.equal(stage.telemetry.numbers.get(counted("rejected")), undefined);
    const scores = [...stage.said("ConsolidationApproved").matchAll(/score (\S+) >= threshold (\S+)/g)];
    assert.ok(scores.length > 0);
    for (const [, score, threshold] of scores) assert.ok(Number(score) >= Number(threshold));
  });

  it("counts what it rejects, with its score", async () => {
    const stage = deleteAndReplace();
    stage.setPool({ ...policy, balancedThreshold: 100 });
    assert.deepEqual(await stage.propose(), []);
    assert.ok((stage.telemetry.numbers.get(counted("rejected")) ?? 0) > 0);
    const scores = stage.telemetry.observations.get(scored("rejected")) ?? [];
    assert.ok(scores.length > 0 && scores.every((score) => score > 0 && score < 100));
  });

  it("rejects what is not worth it any more when it is looked at again, and approves nothing of it", async () => {
    const stage = deleteAndReplace();
    stage.setPool(policy);
    const orders = await stage.propose();
    stage.setPool({ ...policy, balancedThreshold: 100 });
    assert.deepEqual(await stage.confirm(orders), []);
    assert.match(stage.said("ConsolidationRejected"), /score \S+ < threshold 100.00/);
    assert.equal(stage.said("ConsolidationApproved"), "");
    assert.equal(stage.telemetry.numbers.get(counted("rejected")), 2);
  });
});

describe("a node whose price nobody knows", () => {
  const fleet = (): ModelStage => {
    const stage = new ModelStage();
    stage.addStranger("stranger");
    stage.addNode("unpriced", "big", { zone: "b" });
    stage.addPod("free", "unpriced", 1);
    stage.addNode("priced", "small");
    stage.addPod("bound", "priced", 2, true);
    return stage;
  };

  it("goes when its pods fit elsewhere", async () => {
    const stage = fleet();
    assert.deepEqual(inWords(await stage.confirm(await stage.propose())), ["unpriced → nothing"]);
  });

  it("stays under Balanced, which has nothing to weigh", async () => {
    const stage = fleet();
    stage.setPool({ consolidationPolicy: "Balanced" });
    assert.deepEqual(inWords(await stage.propose()), ["priced → nothing"]);
  });
});

describe("a search that is ended because its time is up", () => {
  it("is counted", async () => {
    class Hurried extends InProcessPlanner {
      override async consolidate(request: Parameters<Planner["consolidate"]>[0]) {
        return { ...(await super.consolidate(request)), isCutShort: true };
      }
    }
    const stage = new ModelStage(new Hurried());
    stage.addNode("node", "big");
    stage.addPod("pod", "node", 1);
    await stage.propose();
    const series = 'voluntary_disruption_consolidation_timeouts_total{consolidation_type="multi"}';
    assert.equal(stage.telemetry.numbers.get(series), 1);
  });
});

describe("allowances", () => {
  it("count a pool once, whoever asks why no more may go", async () => {
    const stage = new ModelStage();
    stage.addNode("node", "big");
    const { view } = await stage.look();
    let counts = 0;
    const { cluster } = stage;
    const claimsOfPool = cluster.claimsOfPool.bind(cluster);
    cluster.claimsOfPool = (name) => {
      counts++;
      return claimsOfPool(name);
    };
    const allowances = new Allowances(view, "Underutilized");
    const pool = cluster.pools.get("general");
    assert.ok(pool);
    for (let index = 0; index < 5; index++) assert.match(allowances.because(pool), /"general"/);
    assert.deepEqual([allowances.blockedPools, allowances.left(pool) > 0, counts], [[], true, 1]);
  });
});
