import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { searchTime } from "./search-time.ts";

describe("searchTime", () => {
  it("grows with the fleet, up to half a minute", () => {
    assert.deepEqual([0, 2_000, 7_250, 100_000].map(searchTime), [1_000, 9_000, 30_000, 30_000]);
  });
});
