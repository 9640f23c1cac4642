import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { parseCronSchedule } from "./parse-cron-schedule.ts";

describe("parseCronSchedule", () => {
  for (const [schedule, problem] of [
    ["*/0 * * * *", "step of range should be a positive number: */0"],
    ["60 * * * *", "end of range (60) above maximum (59): 60"],
    ["a * * * *", 'failed to parse int from a: strconv.Atoi: parsing "a": invalid syntax'],
    ["-1 * * * *", 'failed to parse int from : strconv.Atoi: parsing "": invalid syntax'],
    ["5-1 * * * *", "beginning of range (5) beyond end of range (1): 5-1"],
    ["1-2-3 * * * *", "too many hyphens: 1-2-3"],
    ["1/2/3 * * * *", "too many slashes: 1/2/3"],
    ["1-70 * * * *", "end of range (70) above maximum (59): 1-70"],
    ["* * 0 * *", "beginning of range (0) below minimum (1): 0"],
    ["* * * * 7", "end of range (7) above maximum (6): 7"],
    ["", "expected exactly 5 fields, found 0: []"],
    ["* * * *", "expected exactly 5 fields, found 4: [* * * *]"],
    ["TZ=UTC * * * * *", "expected exactly 5 fields, found 6: [TZ=UTC * * * * *]"],
    ["@fortnightly", "unrecognized descriptor: @fortnightly"],
    ["@daily 5", "unrecognized descriptor: @daily 5"],
  ] as const) {
    it(`says of ${schedule}: ${problem}`, () => {
      assert.deepEqual(parseCronSchedule(schedule), { problem });
    });
  }

  it("reads names, ranges, steps and lists", () => {
    assert.deepEqual(parseCronSchedule("*/20 0-23/8 1,15, JAN-mar mon-FRI"), {
      minutes: new Set([0, 20, 40]),
      hours: new Set([0, 8, 16]),
      daysOfMonth: new Set([1, 15]),
      months: new Set([1, 2, 3]),
      daysOfWeek: new Set([1, 2, 3, 4, 5]),
      isAnyDayOfMonth: false,
      isAnyDayOfWeek: false,
    });
  });

  it("leaves a day open only when every one will do", () => {
    for (const [schedule, isAny] of [
      ["0 0 * * *", true],
      ["0 0 ? * */1", true],
      ["0 0 1,* * 5,*", true],
      ["0 0 */2 * */2", false],
      ["0 0 1-31 * 0-6", false],
    ] as const) {
      const parsed = parseCronSchedule(schedule);
      assert.ok(!("problem" in parsed));
      assert.deepEqual([parsed.isAnyDayOfMonth, parsed.isAnyDayOfWeek], [isAny, isAny], schedule);
    }
  });

  it("reads the words for usual schedules as what they stand for", () => {
    assert.deepEqual(parseCronSchedule("@weekly"), parseCronSchedule("0 0 * * sun"));
    assert.deepEqual(parseCronSchedule("@annually"), parseCronSchedule("0 0 1 jan *"));
    assert.deepEqual(parseCronSchedule("@midnight"), parseCronSchedule("@daily"));
  });

  it("has an answer to every text", () => {
    fc.assert(fc.property(fc.string(), (text) => typeof parseCronSchedule(text) === "object"));
  });
});
