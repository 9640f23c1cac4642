import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { PlanRequest } from "../../src/core/scheduling/plan-request.ts";
import type { Planner } from "../../src/ports/planner.ts";
import { ModelStage } from "./disruptor-consolidation-stage.ts";

/** Finds a place for no pod, and keeps the names of those that it was asked about. */
class Refusing implements Pick<Planner, "plan"> {
  asked: string[] = [];

  async plan({ pendingPods }: PlanRequest) {
    this.asked.push(...pendingPods.map(({ name }) => name));
    const refusals = pendingPods.map(({ uid }) => ({
      podUid: uid,
      reason: "full",
      isDeferred: false,
      isInvalid: false,
    }));
    return { nodes: [], placements: [], refusals, costPerHour: 0, boundPerHour: 0 };
  }
}

function driftedFleet(nodes: number) {
  const planner = new Refusing();
  const stage = new ModelStage(planner as unknown as Planner);
  const add = (index: number): void => {
    stage.addNode(`node-${index}`, "big", { isDrifted: true });
    stage.addPod(`pod-${index}`, `node-${index}`, 1);
  };
  for (let index = 0; index < nodes; index++) add(index);
  /** How many plans it takes. */
  const pass = async (): Promise<number> => {
    planner.asked = [];
    await stage.drift.chooseStatic(await stage.look());
    assert.equal(await stage.drift.chooseNext(await stage.look(), { going: [], isTakenBack: () => false }), undefined);
    assert.equal(await stage.drift.chooseNext(await stage.look(), { going: [], isTakenBack: () => false }), undefined);
    return planner.asked.length;
  };
  return { stage, planner, add, pass };
}

describe("drifted nodes whose pods have nowhere to go", () => {
  it("are asked about twenty at a time, each in its turn", async () => {
    const { stage, planner, pass } = driftedFleet(50);
    const asked = new Set<string>();
    const counts: number[] = [];
    for (let count = 0; count < 4; count++) {
      counts.push(await pass());
      for (const name of planner.asked) asked.add(name);
      stage.now += 10_000;
    }
    assert.deepEqual([counts, asked.size], [[20, 20, 10, 0], 50]);
  });

  it("are asked about again after a minute, and then more and more seldom", async () => {
    const { stage, pass } = driftedFleet(1);
    const times: number[] = [];
    for (let seconds = 0; seconds <= 1_500; seconds += 10) {
      if ((await pass()) > 0) times.push(seconds);
      stage.now += 10_000;
    }
    assert.deepEqual(times, [0, 60, 180, 420, 900, 1_500]);
  });

  it("are forgotten when they are gone", async () => {
    const { stage, add, pass } = driftedFleet(1);
    assert.equal(await pass(), 1);
    stage.cluster.claims.remove("node-0");
    assert.equal(await pass(), 0);
    add(0);
    assert.equal(await pass(), 1);
  });
});

describe("drifted nodes of a static pool", () => {
  it("say in the journal why they go and why they stay", async () => {
    const { stage, pass } = driftedFleet(2);
    stage.setPool({}, new Map(), 2);
    const verdicts = (): readonly string[] =>
      (stage.journal.decisions[0]?.candidates ?? []).map(({ isTaken, because }) => `${isTaken} ${because}`);
    const orders = await stage.drift.chooseStatic(await stage.look());
    assert.deepEqual([orders.length, verdicts()], [2, ["true it has drifted", "true it has drifted"]]);
    stage.setPool({}, new Map(), 1);
    await pass();
    const why = 'false NodePool "general" has more nodes than it wants, or no room for another';
    assert.deepEqual(verdicts(), [why, why]);
    assert.equal(stage.telemetry.numbers.get('voluntary_disruption_eligible_nodes{reason="drifted"}'), 2);
    await pass();
    assert.equal(stage.journal.decisions.length, 2);
  });
});
