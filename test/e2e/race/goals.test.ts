import assert from "node:assert/strict";
import { test } from "node:test";
import { type ColumnName, columnOf } from "./columns.ts";
import { type Comparison, goalsMissed, goalsOf } from "./goals.ts";
import type { RaceResult } from "./run-attempt.ts";

const result: RaceResult = {
  isDone: true,
  seconds: 48,
  lastPodSeconds: 25,
  machineSeconds: 41,
  floorSeconds: 41,
  meanPendingSeconds: 28,
  p95PendingSeconds: 40,
  nodes: 30,
  pricePerHour: 12,
  dollars: 1,
  secondWavePods: 10,
  podsBeforeReady: 0,
  cpuSeconds: 20,
  residentMegabytes: 100,
  peakResidentMegabytes: 150,
};
const peer = { ...result, seconds: 60, meanPendingSeconds: 40 };

function comparison(name: ColumnName, results: Partial<Comparison["results"]> = {}): Comparison {
  return {
    scenario: { name: "fleet-1000-1021-typical", kind: "fleet", podCount: 1000, boundPerHour: 10 },
    column: columnOf(name),
    results: { ours: [result], bind: [], peer: [peer], ...results },
  };
}

test("every goal says what was found", () => {
  assert.deepEqual(
    goalsOf(comparison("boot")).map(({ text, found, isMet }) => `${isMet} ${text}: ${found}`),
    [
      "true all pods run: 1 of 1 times",
      "true no pod is bound to a node before it is Ready: 0 pods",
      "true seconds over the floor, at most 8: 7.000",
      "true dollars an hour / bound, at most 1.2: 1.200",
      "true share of pods in a second wave, at most 0.01: 0.010",
      "true mean pending seconds / Go controller, at most 0.7: 0.700",
      "true CPU seconds / Go controller, at most 1: 1.000",
    ],
  );
});

test("the median of the rounds decides", () => {
  const slow = { ...result, seconds: 90 };
  assert.deepEqual(goalsMissed(comparison("boot", { ours: [result, slow, result] })), []);
  assert.deepEqual(goalsMissed(comparison("boot", { ours: [slow, result, slow] })), [
    "fleet-1000-1021-typical boot misses a goal: seconds over the floor, at most 8, found 49.000",
  ]);
});

test("a burst has to be as fast as with the Go controller", () => {
  const texts = goalsMissed(comparison("busy", { ours: [{ ...result, seconds: 61 }] }));
  assert.equal(texts.length, 1);
  assert.match(texts[0] ?? "", /seconds until all pods are Running \/ Go controller, at most 1, found 1.017/);
});

test("pods that do not run are missed in one round of three, with Bind, too", () => {
  const stuck = { ...result, isDone: false };
  assert.match(
    goalsMissed(comparison("boot", { bind: [result, stuck, result] }))[0] ?? "",
    /all pods run, found 3 of 4/,
  );
});

test("what was not tried has no goals", () => {
  assert.deepEqual(
    goalsOf(comparison("boot", { ours: [] })).map(({ text }) => text),
    ["no pod is bound to a node before it is Ready"],
  );
  assert.ok(goalsOf(comparison("boot", { peer: [] })).every(({ text }) => !text.includes("Go controller")));
});
