import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { judgeCost, judgeFast } from "./goals.ts";
import type { CostLine, FastLine, Result, Score } from "./lines.ts";

function done(changes: Partial<Score> = {}): Result {
  const score = {
    seconds: 0.5,
    podsPerSecond: 2000,
    costPerHour: 10,
    nodes: 5,
    violations: 0,
    preferencesHonoured: 0.5,
  };
  return { outcome: "done", ...score, ...changes };
}

const subject = { kind: "fleet", seed: 1, pool: "typical", pods: 1000 } as const;

function fast(changes: Partial<FastLine> = {}): boolean | null {
  const goal = { speedRatio: 10, costRatio: 1 };
  const results = { ours: done(), peer: done(), speedRatio: 10, costRatio: 1, goal };
  return judgeFast({ measure: "fast", ...subject, ...results, ...changes });
}

function cost(changes: Partial<CostLine> = {}): boolean | null {
  return judgeCost({
    measure: "cost",
    ...subject,
    ours: done(),
    peer: done(),
    boundPerHour: 10,
    fitBoundPerHour: 10,
    costToBound: 1.1,
    costToFitBound: 1.1,
    peerCostToBound: 2,
    peerCostToFitBound: 2,
    allowedSeconds: 1,
    goal: { costToBound: 1.1 },
    isReachable: true,
    ...changes,
  });
}

describe("judgeFast", () => {
  it("is content with ten times the speed at the same cost and preferences", () => {
    assert.equal(fast(), true);
  });

  it("wants all of it", () => {
    assert.deepEqual(
      [
        fast({ speedRatio: 9.9 }),
        fast({ costRatio: 1.01 }),
        fast({ ours: done({ preferencesHonoured: 0.4 }) }),
        fast({ ours: done({ violations: 1 }) }),
        fast({ ours: { outcome: "timeout", seconds: 120 } }),
      ],
      [false, false, false, false, false],
    );
  });

  it("cannot tell without the peer, unless the plan is not even valid", () => {
    const alone = { peer: null, speedRatio: null, costRatio: null };

    assert.deepEqual([fast(alone), fast({ ...alone, ours: done({ violations: 1 }) })], [null, false]);
  });

  it("compares only the speed with a peer that ran out of time", () => {
    const late = { peer: { outcome: "timeout", seconds: 120 }, costRatio: null } as const;

    assert.deepEqual([fast(late), fast({ ...late, speedRatio: 5 })], [true, false]);
  });
});

describe("judgeCost", () => {
  it("is content within the goal and the time", () => {
    assert.equal(cost(), true);
  });

  it("wants valid plans, within the goal and the time", () => {
    const late = { ours: done({ seconds: 1.5 }) };

    assert.deepEqual(
      [cost({ costToBound: 1.11 }), cost(late), cost({ ours: done({ violations: 1 }) })],
      [false, false, false],
    );
    assert.equal(cost({ ...late, allowedSeconds: 2 }), true);
  });

  it("cannot tell how much more than a second is allowed without the peer", () => {
    assert.equal(cost({ peer: null, ours: done({ seconds: 1.5 }) }), null);
  });

  it("has nothing to judge without a goal", () => {
    assert.equal(cost({ goal: null }), null);
  });
});
