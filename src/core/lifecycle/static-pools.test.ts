import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { modelClaim } from "../../../test/support/model-machine.ts";
import type { NodeClaim } from "../model/node-claim.ts";
import { planGrowth } from "./static-pools.ts";

function claims(staying: number, going = 0): readonly NodeClaim[] {
  const claim = (deletedAt: number | undefined) => modelClaim({ deletedAt });
  return [...Array.from({ length: staying }, () => claim(undefined)), ...Array.from({ length: going }, () => claim(1))];
}

describe("planGrowth", () => {
  const unlimited = { replicas: 10, limits: new Map() };
  const limited = { replicas: 10, limits: new Map([["nodes", 12]]) };

  it("makes what is lacking, counting what is on its way and not what goes", () => {
    assert.deepEqual(planGrowth(unlimited, { claims: claims(3, 2), onTheirWay: 4 }), { lacking: 3, allowed: 3 });
  });

  it("keeps to the limit, counting what goes until it is gone", () => {
    assert.deepEqual(planGrowth(limited, { claims: claims(3, 5), onTheirWay: 2 }), { lacking: 5, allowed: 2 });
    assert.deepEqual(planGrowth(limited, { claims: claims(3, 12), onTheirWay: 0 }), { lacking: 7, allowed: 0 });
  });

  it("does not count what is to take the place of one that is still there", () => {
    const old = modelClaim({ name: "old" });
    const replacement = modelClaim({ name: "new", annotations: new Map([["karpenter.sh/replaces", "old"]]) });
    const two = { replicas: 2, limits: new Map() };
    assert.deepEqual(planGrowth(two, { claims: [old, replacement], onTheirWay: 0 }), { lacking: 1, allowed: 1 });
    const going = [{ ...old, deletedAt: 1 }, replacement];
    assert.deepEqual(planGrowth(two, { claims: going, onTheirWay: 0 }), { lacking: 1, allowed: 1 });
  });

  it("makes nothing when there is enough", () => {
    assert.deepEqual(planGrowth(unlimited, { claims: claims(12), onTheirWay: 0 }), { lacking: 0, allowed: 0 });
  });
});
