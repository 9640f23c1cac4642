import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { type CronSchedule, isWithinWindow, nextTime } from "./cron-schedule.ts";
import { parseCronSchedule } from "./parse-cron-schedule.ts";

const hour = 3_600_000;

function parsed(text: string): CronSchedule {
  const schedule = parseCronSchedule(text);
  assert.ok(!("problem" in schedule), text);
  return schedule;
}

function next(text: string, after: string): string | undefined {
  const time = nextTime(parsed(text), Date.parse(after));
  return time === undefined ? undefined : new Date(time).toISOString();
}

function isOpen(text: string, hours: number, now: string): boolean {
  return isWithinWindow({ schedule: parsed(text), durationMilliseconds: hours * hour }, Date.parse(now));
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
    assert.equal(next("50/5 * * * *", after), "2026-03-01T12:50:00.000Z");
  });

  it("is always later, even at the very minute", () => {
    assert.equal(next("0 12 * * *", "2026-03-01T12:00:00Z"), "2026-03-02T12:00:00.000Z");
    assert.equal(next("0 12 * * *", "2026-03-01T11:59:59.999Z"), "2026-03-01T12:00:00.000Z");
  });

  it("takes a day that either of two day fields names", () => {
    assert.equal(next("0 0 13 * 5", "2026-03-01T12:00:00Z"), "2026-03-06T00:00:00.000Z");
    assert.equal(next("0 0 */31 * 5", "2026-03-01T12:00:00Z"), "2026-03-06T00:00:00.000Z");
  });

  it("takes a day that both name when one of them is open", () => {
    assert.equal(next("0 0 ? * 5", "2026-03-01T12:00:00Z"), "2026-03-06T00:00:00.000Z");
    assert.equal(next("0 0 13 * *", "2026-03-01T12:00:00Z"), "2026-03-13T00:00:00.000Z");
  });

  it("knows days that never come", () => {
    assert.equal(next("0 0 31 2 *", "2026-03-01T12:00:00Z"), undefined);
    assert.equal(next(", * * * *", "2026-03-01T12:00:00Z"), undefined);
  });
});

describe("isWithinWindow", () => {
  it("is so from the first minute on, and no longer at the end", () => {
    assert.equal(isOpen("0 9 * * *", 8, "2026-03-01T08:59:59.999Z"), false);
    assert.equal(isOpen("0 9 * * *", 8, "2026-03-01T09:00:00Z"), true);
    assert.equal(isOpen("0 9 * * *", 8, "2026-03-01T16:59:59.999Z"), true);
    assert.equal(isOpen("0 9 * * *", 8, "2026-03-01T17:00:00Z"), false);
  });

  it("goes on past midnight", () => {
    assert.equal(isOpen("0 22 * * fri", 10, "2026-03-07T07:00:00Z"), true);
    assert.equal(isOpen("0 22 * * fri", 10, "2026-03-08T07:00:00Z"), false);
  });

  it("is always so when it lasts longer than until the next time", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 4e12 }), (now) =>
        isWithinWindow({ schedule: parsed("0 9 * * *"), durationMilliseconds: 25 * hour }, now),
      ),
    );
  });
});
