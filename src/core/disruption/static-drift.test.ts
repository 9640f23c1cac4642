import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { modelCandidate } from "../../../test/support/model-candidate.ts";
import { modelClaim, modelCondition } from "../../../test/support/model-machine.ts";
import { modelPool } from "../../../test/support/model-pool.ts";
import { chooseStaticDrift } from "./static-drift.ts";

const drift = (lastTransitionTime: number) => [modelCondition("Drifted", "True", { lastTransitionTime })];

function choose({ claims = 3, going = 0, usable = 10, limit = Number.NaN, replicas = 3 } = {}): readonly string[] {
  const limits = new Map(Number.isNaN(limit) ? [] : [["nodes", limit]]);
  const pool = modelPool("fixed", { replicas, limits });
  const candidates = [
    modelCandidate("second", { pool, conditions: drift(2) }),
    modelCandidate("first", { pool, conditions: drift(1) }),
    modelCandidate("sound", { pool }),
    modelCandidate("foreign", { pool: modelPool("other", { replicas: 1 }), conditions: drift(0) }),
  ];
  const all = [
    ...Array.from({ length: claims }, () => modelClaim()),
    ...Array.from({ length: going }, () => modelClaim({ deletedAt: 1 })),
  ];
  return chooseStaticDrift(pool, { candidates, claims: all, usable }).map(({ claim }) => claim.name);
}

describe("chooseStaticDrift", () => {
  it("takes the drifted nodes of the pool, as many as its budgets allow", () => {
    assert.deepEqual(choose(), ["first", "second"]);
    assert.deepEqual(choose({ usable: 1 }), ["first"]);
    assert.deepEqual(choose({ usable: 0 }), []);
  });

  it("keeps to the limit of nodes, counting what goes until it is gone", () => {
    assert.deepEqual(choose({ limit: 4 }), ["first"]);
    assert.deepEqual(choose({ limit: 4, going: 1 }), []);
    assert.deepEqual(choose({ limit: 2 }), []);
    assert.deepEqual(choose({ limit: 9, going: 1 }), ["first", "second"]);
  });

  it("waits while the pool has more nodes than it wants", () => {
    assert.deepEqual(choose({ claims: 4 }), []);
    assert.deepEqual(choose({ replicas: 5 }), ["first", "second"]);
  });
});
