import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { describeLeftOut, describeStop, judgeChurn, type PastMove, readMoves, writeMoves } from "./churn.ts";

const minute = 60_000;
const now = 1000 * minute;
const percentPerHour = 100;
const ago = (minutes: number, pods: number): PastMove => ({ time: now - minutes * minute, pods });

describe("judgeChurn", () => {
  it("lets as many pods move in an hour as it is told to, and 20 in however small a cluster", () => {
    assert.equal(judgeChurn([ago(59, 30)], { pods: 100, percentPerHour, now }).left, 70);
    assert.equal(judgeChurn([ago(59, 30)], { pods: 100, percentPerHour: 50, now }).left, 20);
    assert.equal(judgeChurn([ago(59, 30)], { pods: 100, percentPerHour: 250, now }).left, 220);
    assert.equal(judgeChurn([ago(5, 19)], { pods: 3, percentPerHour, now }).left, 1);
  });

  it("stops until enough of the moves are an hour old", () => {
    const moves = [ago(10, 40), ago(50, 10), ago(30, 60)];
    // The oldest alone leaves exactly as many as may be.
    const expected = { left: 0, until: now + 30 * minute, moved: 110, most: 100 };
    assert.deepEqual(judgeChurn(moves, { pods: 100, percentPerHour, now }), expected);
  });

  it("forgets what is an hour old", () => {
    const expected = { left: 100, until: now, moved: 0, most: 100 };
    assert.deepEqual(judgeChurn([ago(60, 500)], { pods: 100, percentPerHour, now }), expected);
  });

  it("says why moves wait, and how long none is made", () => {
    const churn = judgeChurn([{ time: 0, pods: 20 }], { pods: 1, percentPerHour, now: minute });
    assert.equal(
      describeStop(churn),
      "20 pods were moved within an hour and 20 may be, so no more nodes go by choice until 1970-01-01T01:00:00.000Z",
    );
    assert.equal(
      describeLeftOut(churn, 3),
      "20 pods are moved within an hour and 20 may be, which is too few for a move of 3 more",
    );
  });

  it("has stopped until then, and no longer", () => {
    const moves = fc.array(
      fc.record({ time: fc.integer({ min: 0, max: 100 }).map((at) => at * minute), pods: fc.nat(50) }),
    );
    fc.assert(
      fc.property(moves, fc.nat(200), (past, pods) => {
        const churn = judgeChurn(past, { pods, percentPerHour, now: 100 * minute });
        if (churn.left > 0) return;
        const leftAt = (time: number): number => judgeChurn(past, { pods, percentPerHour, now: time }).left;
        assert.ok(churn.until > 100 * minute);
        assert.ok(leftAt(churn.until) > 0);
        assert.equal(leftAt(churn.until - 1), 0);
      }),
    );
  });
});

describe("moves as an annotation", () => {
  it("are one entry for five minutes, as late as the last of them, and those that count", () => {
    const text = writeMoves([ago(61, 9), ago(3, 2), ago(2, 5), ago(40, 1)], now);
    assert.equal(text, "1970-01-01T16:00:00.000Z=1,1970-01-01T16:38:00.000Z=7");
    assert.deepEqual(readMoves(text, now), [ago(40, 1), ago(2, 7)]);
  });

  it("count for nothing when they make no sense or are to come", () => {
    for (const text of ["", "x", "=4", "1970-01-01T16:00:00.000Z=-4", "1970-01-01T16:00:00.000Z", "1971-01-01=5"]) {
      assert.deepEqual(readMoves(text, now), [], text);
    }
  });

  it("are few however many there were, and lose no pod", () => {
    const moves = fc.array(fc.record({ time: fc.nat(1000 * minute), pods: fc.integer({ min: 1, max: 50 }) }));
    fc.assert(
      fc.property(moves, (past) => {
        const read = readMoves(writeMoves(past, now), now);
        const question = { pods: 0, percentPerHour, now };
        assert.ok(read.length <= 14);
        assert.equal(judgeChurn(read, question).moved, judgeChurn(past, question).moved);
      }),
    );
  });
});
