import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { cronProblem } from "./cron-problem.ts";

describe("cronProblem", () => {
  for (const [schedule, problem] of [
    ["*/5 0-23/2 1,15 JAN-dec mon-FRI", undefined],
    ["*/0 * * * *", "step of range should be a positive number: */0"],
    ["60 * * * *", "end of range (60) above maximum (59): 60"],
    ["a * * * *", 'failed to parse int from a: strconv.Atoi: parsing "a": invalid syntax'],
    ["5-1 * * * *", "beginning of range (5) beyond end of range (1): 5-1"],
    ["1-70 * * * *", "end of range (70) above maximum (59): 1-70"],
    ["* * 0 * *", "beginning of range (0) below minimum (1): 0"],
    ["* * * * 7", "end of range (7) above maximum (6): 7"],
  ] as const) {
    it(`says of ${schedule}: ${problem ?? "nothing"}`, () => {
      assert.equal(cronProblem(schedule.split(" ")), problem);
    });
  }
});
