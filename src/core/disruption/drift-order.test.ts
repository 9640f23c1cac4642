import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { modelCandidate } from "../../../test/support/model-candidate.ts";
import { modelCondition } from "../../../test/support/model-machine.ts";
import { modelPod } from "../../../test/support/model-pod.ts";
import { modelPool } from "../../../test/support/model-pool.ts";
import { orderDrifted } from "./drift-order.ts";

function drifted(name: string, lastTransitionTime: number, fields: Parameters<typeof modelCandidate>[1] = {}) {
  return modelCandidate(name, { conditions: [modelCondition("Drifted", "True", { lastTransitionTime })], ...fields });
}

describe("orderDrifted", () => {
  it("puts empty nodes first, then those that drifted first", () => {
    const occupied = { pods: [modelPod("web")], disturbance: 2 };
    const ordered = orderDrifted([
      drifted("late", 3, occupied),
      drifted("early", 1, occupied),
      drifted("held", 0, { pods: [], disturbance: 2 }),
      drifted("empty-late", 5),
      drifted("empty-early", 4),
    ]);
    assert.deepEqual(
      ordered.map(({ claim }) => claim.name),
      ["empty-early", "empty-late", "held", "early", "late"],
    );
  });

  it("leaves out what has not drifted and what a static pool owns", () => {
    const conditions = [modelCondition("Drifted", "False")];
    const pool = modelPool("fixed", { replicas: 1 });
    assert.deepEqual(
      orderDrifted([modelCandidate("a", { conditions }), modelCandidate("b"), drifted("c", 1, { pool })]),
      [],
    );
  });
});
