import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { nextTime, parseCronSchedule } from "./cron-schedule.ts";

function next(schedule: string, after: string): string | undefined {
  const parsed = parseCronSchedule(schedule);
  const time = parsed === undefined ? undefined : nextTime(parsed, Date.parse(after));
  return time === undefined ? undefined : new Date(time).toISOString();
}

describe("nextTime", () => {
  it("finds the next minute that all fields name", () => {
    const after = "2026-03-01T12:00:00Z";
    assert.equal(next("*/15 * * * *", after), "2026-03-01T12:15:00.000Z");
    assert.equal(next("0 0 * * *", after), "2026-03-02T00:00:00.000Z");
    assert.equal(next("30 9 * * mon-fri", after), "2026-03-02T09:30:00.000Z");
    assert.equal(next("@monthly", after), "2026-04-01T00:00:00.000Z");
    assert.equal(next("0 0 29 2 *", after), "2028-02-29T00:00:00.000Z");
    assert.equal(next("5,10 0-3/2 * JAN *", after), "2027-01-01T00:05:00.000Z");
  });

  it("takes a day that either of two day fields names", () => {
    assert.equal(next("0 0 13 * 5", "2026-03-01T12:00:00Z"), "2026-03-06T00:00:00.000Z");
  });

  it("knows what is no schedule", () => {
    for (const text of ["", "* * * *", "60 * * * *", "a * * * *", "5-1 * * * *", "*/0 * * * *"]) {
      assert.equal(parseCronSchedule(text), undefined, text);
    }
  });
});
