import assert from "node:assert/strict";
import { it } from "node:test";
import { tellingBound } from "./telling-bound.ts";

it("a bound is told where the plan costs at most a quarter more", () => {
  assert.deepEqual(
    [tellingBound(1.25, 1), tellingBound(1.26, 1), tellingBound(1.949, 0.392), tellingBound(0, 0)],
    [1, undefined, undefined, undefined],
  );
});
