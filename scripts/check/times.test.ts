import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { stripVTControlCharacters } from "node:util";
import { describeTimes, keepTimes, readTimes } from "./times.ts";

const times = {
  suites: [
    { suite: "core", seconds: 12.34 },
    { suite: "ui", seconds: 0.5 },
  ],
  cases: [
    { suite: "core", name: "adds", seconds: 2 },
    { suite: "core", name: "searches", seconds: 10.3 },
  ],
};

test("suites are told in their order, and cases with the slowest first", () => {
  assert.deepEqual(stripVTControlCharacters(describeTimes(times)).split("\n"), [
    "Time by suite",
    "   12.3 s  core  2 cases",
    "    0.5 s  ui",
    "",
    "Slowest 2 of 2 cases",
    "   10.3 s  core  searches",
    "    2.0 s  core  adds",
  ]);
});

test("of many cases the slowest twenty are told", () => {
  const cases = Array.from({ length: 30 }, (_, seconds) => ({ suite: "core", name: `case ${seconds}`, seconds }));
  const lines = describeTimes({ suites: [], cases }).split("\n").slice(3);
  assert.deepEqual(
    [lines.length, lines[0], lines[19]].map((one) => stripVTControlCharacters(`${one}`)),
    ["20", "   29.0 s  core  case 29", "   10.0 s  core  case 10"],
  );
});

test("times of several commands are kept in one file", (context) => {
  const folder = mkdtempSync(join(tmpdir(), "karpenter-times-"));
  context.after(() => rmSync(folder, { recursive: true }));
  const file = join(folder, "times");
  keepTimes(file, "npm test", times);
  keepTimes(file, "npm run e2e", { suites: [{ suite: "aws", seconds: 3 }], cases: [] });
  assert.deepEqual(readTimes(file), {
    suites: [
      { suite: "npm test core", seconds: 12.34 },
      { suite: "npm test ui", seconds: 0.5 },
      { suite: "npm run e2e aws", seconds: 3 },
    ],
    cases: times.cases.map((one) => ({ ...one, suite: "npm test core" })),
  });
});
