import assert from "node:assert/strict";
import { test } from "node:test";
import { ageOf, humanDuration } from "./human-duration.ts";

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

test("a duration is shown in two units at most, and coarser as it grows", () => {
  const cases: [number, string][] = [
    [-3_000, "<invalid>"],
    [-1_500, "0s"],
    [0, "0s"],
    [999, "0s"],
    [119_999, "119s"],
    [2 * minute, "2m"],
    [2 * minute + 5_000, "2m5s"],
    [10 * minute + 5_000, "10m"],
    [179 * minute, "179m"],
    [3 * hour, "3h"],
    [7 * hour + 30 * minute, "7h30m"],
    [8 * hour + 30 * minute, "8h"],
    [47 * hour, "47h"],
    [2 * day, "2d"],
    [7 * day + 3 * hour, "7d3h"],
    [8 * day + 3 * hour, "8d"],
    [729 * day, "729d"],
    [730 * day, "2y"],
    [731 * day, "2y1d"],
    [8 * 365 * day + 5 * day, "8y"],
  ];
  for (const [milliseconds, expected] of cases) assert.equal(humanDuration(milliseconds), expected);
});

test("the age of a time that is absent or unreadable is unknown", () => {
  assert.deepEqual(
    [undefined, null, "soon", "1970-01-01T00:00:00Z"].map((time) => ageOf(time, 5_000)),
    ["<unknown>", "<unknown>", "<unknown>", "5s"],
  );
});
