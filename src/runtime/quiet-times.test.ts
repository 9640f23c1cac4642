import assert from "node:assert/strict";
import { test } from "node:test";
import { QuietTimes } from "./quiet-times.ts";

test("a quiet time ends when it is over", () => {
  const { quietTimes, pass } = begin(10);
  quietTimes.begin("a", 5);
  pass(4);
  assert.equal(quietTimes.isQuiet("a"), true);
  pass(1);
  assert.equal(quietTimes.isQuiet("a"), false);
});

test("when there are too many, those that are over go first, then the oldest", () => {
  const { quietTimes, pass } = begin(3);
  quietTimes.begin("old", 100);
  quietTimes.begin("short", 1);
  quietTimes.begin("young", 100);
  pass(2);
  quietTimes.begin("next", 100);
  assert.deepEqual(
    ["old", "young", "next"].map((key) => quietTimes.isQuiet(key)),
    [true, true, true],
  );
  quietTimes.begin("last", 100);
  assert.deepEqual(
    ["old", "young", "next", "last"].map((key) => quietTimes.isQuiet(key)),
    [false, true, true, true],
  );
});

function begin(most: number) {
  let now = 0;
  const clock = { now: () => now, after: () => ({ cancel: () => undefined }) };
  return {
    quietTimes: new QuietTimes(clock, most),
    pass: (milliseconds: number) => {
      now += milliseconds;
    },
  };
}
