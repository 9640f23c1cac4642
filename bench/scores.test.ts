import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Attempt } from "./planners.ts";
import { median, ratio, resultOf } from "./scores.ts";

function done(seconds: number, costPerHour: number, violations = 0): Attempt {
  return {
    kind: "done",
    seconds,
    peakMemoryBytes: 0,
    verdict: {
      violations,
      kinds: {},
      examples: violations > 0 ? ["spread: default/p-1"] : [],
      costPerHour,
      nodes: costPerHour,
      placed: 100,
      unschedulable: 0,
      preferencesHonoured: null,
    },
  };
}

describe("resultOf", () => {
  it("takes the median time, the cheapest plan and the most violations", () => {
    assert.deepEqual(resultOf(100, [done(3, 7), done(1, 5), done(2, 6, 1)]), {
      outcome: "done",
      seconds: 2,
      podsPerSecond: 50,
      costPerHour: 5,
      nodes: 5,
      violations: 1,
      examples: ["spread: default/p-1"],
      preferencesHonoured: null,
    });
  });

  it("is a timeout when one attempt was", () => {
    const attempts: Attempt[] = [done(1, 5), { kind: "timeout", seconds: 120 }];

    assert.deepEqual(resultOf(100, attempts), { outcome: "timeout", seconds: 120 });
  });

  it("says why there is nothing", () => {
    const attempts: Attempt[] = [{ kind: "failed", reason: "exit code 1" }];

    assert.deepEqual(resultOf(100, attempts), { outcome: "failed", reason: "exit code 1" });
    assert.deepEqual(resultOf(100, []), { outcome: "failed", reason: "never tried" });
  });
});

describe("median", () => {
  it("is the middle one, or between the middle two", () => {
    assert.deepEqual([median([3, 1, 2]), median([4, 1, 2, 3]), median([7])], [2, 2.5, 7]);
  });
});

describe("ratio", () => {
  it("is null when a part is not known", () => {
    assert.deepEqual([ratio(1, 4), ratio(null, 4), ratio(1, null), ratio(1, 0)], [0.25, null, null, null]);
  });
});
