import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { formatDuration, parseDuration } from "./duration.ts";

describe("parseDuration", () => {
  it("adds up hours, minutes and seconds in any order", () => {
    const durations = ["0s", "30s", "1h30m", "1m30s", "720h", "5s1h", "007m"].map(parseDuration);
    assert.deepEqual(durations, [0, 30_000, 5_400_000, 90_000, 2_592_000_000, 3_605_000, 420_000]);
  });

  it("knows nothing else", () => {
    for (const text of ["", "Never", "never", "-30s", "1.5h", "10d", "100ms", "30", "h", " 1h", "1h "]) {
      assert.equal(parseDuration(text), undefined, text);
    }
  });

  it("gives a date when it is added to one, however long it is", () => {
    const longest = parseDuration(`${"9".repeat(400)}h`) ?? Number.NaN;
    assert.equal(new Date(Date.parse("2026-01-01T00:00:00Z") + longest).getUTCFullYear(), 2318);
  });
});

describe("formatDuration", () => {
  it("writes what is not zero, the largest unit first", () => {
    const texts = [undefined, 0, 999, 30_000, 60_000, 5_400_000, 3_605_000, 2_592_000_000].map(formatDuration);
    assert.deepEqual(texts, ["Never", "0s", "0s", "30s", "1m", "1h30m", "1h5s", "720h"]);
  });

  it("writes what parseDuration reads", () => {
    fc.assert(
      fc.property(fc.nat(1_000_000_000), (seconds) => {
        assert.equal(parseDuration(formatDuration(seconds * 1000)), seconds * 1000);
      }),
    );
  });
});
