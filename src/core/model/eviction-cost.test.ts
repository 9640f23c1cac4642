import assert from "node:assert/strict";
import { it } from "node:test";
import { evictionCost } from "./eviction-cost.ts";
import type { Pod } from "./pod.ts";

function costOf(priority: number, deletionCost?: string): number {
  const annotations = new Map(
    deletionCost === undefined ? [] : [["controller.kubernetes.io/pod-deletion-cost", deletionCost]],
  );
  return evictionCost({ annotations, spec: { priority } as Pod["spec"] });
}

it("weighs a pod by its priority and its deletion cost, within bounds", () => {
  assert.deepEqual(
    [costOf(0), costOf(2 ** 25), costOf(0, String(-(2 ** 27))), costOf(2 ** 31), costOf(-(2 ** 31)), costOf(0, "much")],
    [1, 2, 0, 10, -10, 1],
  );
});
