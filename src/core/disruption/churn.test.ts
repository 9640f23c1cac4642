import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { describeChurn, judgeChurn, type PastMove } from "./churn.ts";

const minute = 60_000;
const now = 1000 * minute;
const ago = (minutes: number, pods: number): PastMove => ({ time: now - minutes * minute, pods });

describe("judgeChurn", () => {
  it("lets as many pods move in an hour as there are, and 20 in however small a cluster", () => {
    assert.deepEqual(judgeChurn([ago(59, 30)], { pods: 100, now }), { isStopped: false, left: 70 });
    assert.deepEqual(judgeChurn([ago(5, 19)], { pods: 3, now }), { isStopped: false, left: 1 });
  });

  it("stops until enough of the moves are an hour old", () => {
    const moves = [ago(10, 40), ago(50, 10), ago(30, 60)];
    // The oldest alone leaves exactly as many as may be.
    const expected = { isStopped: true, until: now + 30 * minute, moved: 110, most: 100 };
    assert.deepEqual(judgeChurn(moves, { pods: 100, now }), expected);
  });

  it("forgets what is an hour old", () => {
    assert.deepEqual(judgeChurn([ago(60, 500)], { pods: 100, now }), { isStopped: false, left: 100 });
  });

  it("says how long it is stopped and why", () => {
    const verdict = judgeChurn([{ time: 0, pods: 20 }], { pods: 1, now: minute });
    assert.ok(verdict.isStopped);
    assert.equal(
      describeChurn(verdict),
      "20 pods were moved within an hour and 20 may be, so no more nodes go by choice until 1970-01-01T01:00:00.000Z",
    );
  });

  it("has stopped until then, and no longer", () => {
    const moves = fc.array(
      fc.record({ time: fc.integer({ min: 0, max: 100 }).map((at) => at * minute), pods: fc.nat(50) }),
    );
    fc.assert(
      fc.property(moves, fc.nat(200), (past, pods) => {
        const verdict = judgeChurn(past, { pods, now: 100 * minute });
        if (!verdict.isStopped) return;
        assert.ok(verdict.until > 100 * minute);
        assert.equal(judgeChurn(past, { pods, now: verdict.until }).isStopped, false);
        assert.equal(judgeChurn(past, { pods, now: verdict.until - 1 }).isStopped, true);
      }),
    );
  });
});
