import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { modelCandidate } from "../../../test/support/model-candidate.ts";
import { modelCondition } from "../../../test/support/model-machine.ts";
import { modelPod } from "../../../test/support/model-pod.ts";
import { modelPool } from "../../../test/support/model-pool.ts";
import type { Candidate } from "./candidate.ts";
import { byWorth, findEmpty } from "./emptiness.ts";

const conditions = [modelCondition("Consolidatable", "True")];
const names = (candidates: readonly Candidate[]) => candidates.map(({ claim }) => claim.name);

describe("findEmpty", () => {
  it("finds nodes without pods under every policy, the dearest first", () => {
    const pool = modelPool("when-empty", { disruption: { consolidationPolicy: "WhenEmpty" } });
    const found = findEmpty([
      modelCandidate("cheap", { conditions, price: 1 }),
      modelCandidate("dear", { conditions, price: 3, pool }),
      modelCandidate("middling", { conditions, price: 2 }),
    ]);
    assert.deepEqual(names(found), ["dear", "middling", "cheap"]);
  });

  it("leaves nodes of static pools, of those that never consolidate, and those that are not quiet yet", () => {
    const never = modelPool("never", { disruption: { consolidateAfter: undefined } });
    assert.deepEqual(
      findEmpty([
        modelCandidate("static", { conditions, pool: modelPool("static", { replicas: 3 }) }),
        modelCandidate("never", { conditions, pool: never }),
        modelCandidate("busy", { conditions: [modelCondition("Consolidatable", "False")] }),
        modelCandidate("new"),
      ]),
      [],
    );
  });

  it("leaves a node with pods, also when they cost nothing to move or stay to the end", () => {
    assert.deepEqual(
      findEmpty([
        modelCandidate("worthless", { conditions, pods: [modelPod("filler")], disturbance: 1 }),
        modelCandidate("held", { conditions, pods: [], disturbance: 2 }),
      ]),
      [],
    );
  });
});

describe("byWorth", () => {
  it("puts first what costs most for what its going disturbs, and of equals the oldest", () => {
    const ordered = byWorth([
      modelCandidate("full", { price: 4, disturbance: 9 }),
      modelCandidate("young", { price: 2, disturbance: 2, claim: { createdAt: 5 } }),
      modelCandidate("old", { price: 1, disturbance: 1, claim: { createdAt: 4 } }),
      modelCandidate("dear", { price: 6, disturbance: 2 }),
    ]);
    assert.deepEqual(names(ordered), ["dear", "old", "young", "full"]);
  });
});
