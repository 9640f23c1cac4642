import assert from "node:assert/strict";
import { test } from "node:test";
import { parseArgs } from "node:util";
import { type RaceOptions, raceFlags, readRaceOptions } from "./race-options.ts";

test("no options are none", () => {
  assert.equal(readRaceOptions({}), undefined);
  assert.deepEqual(raceFlags(undefined), []);
});

test("the flags of options read as the same options", () => {
  const options = readRaceOptions({ seeds: "7,1021", kinds: "fleet,diverse", rounds: "2" });
  assert.deepEqual(readBack(options), options);
  const fromFiles = readRaceOptions({ scenarios: "one.json,two.json" });
  assert.deepEqual(readBack(fromFiles), fromFiles);
});

function readBack(options: RaceOptions | undefined): RaceOptions | undefined {
  const text = { type: "string" } as const;
  const { values } = parseArgs({
    args: raceFlags(options),
    options: { seeds: text, kinds: text, scenarios: text, columns: text, rounds: text, pods: text },
  });
  return readRaceOptions(values);
}
