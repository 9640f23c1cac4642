import assert from "node:assert/strict";
import { test } from "node:test";
import { describeUsage, readOptions } from "./options.ts";

const suites = ["contract", "api", "planner", "controller", "regression", "race", "consolidation"];
const read = (line: string) => readOptions(line === "" ? [] : line.split(" "), suites);
const mistakeIn = (line: string) => {
  const reading = read(line);
  return reading.kind === "mistake" ? reading.message : reading.kind;
};

test("without options all suites are tried as they are", () => {
  const options = {
    only: undefined,
    isRecording: false,
    isAll: false,
    controller: "ours",
    focus: undefined,
    race: undefined,
  };
  assert.deepEqual(read(""), { kind: "options", options });
});

test("options say what is tried", () => {
  assert.deepEqual(read("--only regression --focus ^Drift --controller peer --all"), {
    kind: "options",
    options: {
      only: ["regression"],
      isRecording: false,
      isAll: true,
      controller: "peer",
      focus: /^Drift/,
      race: undefined,
    },
  });
});

test("options of the race have defaults, and name what is wrong with them", () => {
  const reading = read("--only race --columns boot,jitter --seeds 7,1021 --rounds 1");
  assert.deepEqual(reading.kind === "options" && reading.options.race, {
    seeds: [7, 1021],
    kinds: ["fleet"],
    scenarios: [],
    columns: ["boot", "jitter"],
    rounds: 1,
    pods: 1000,
  });
  assert.equal(
    mistakeIn("--only race --columns sprint"),
    '--columns: "sprint" is unknown; choose from burst, steady, boot, jitter, busy',
  );
  assert.equal(
    mistakeIn("--only race --kinds uniform"),
    '--kinds: "uniform" is unknown; choose from fleet, lopsided, diverse',
  );
  assert.equal(mistakeIn("--only race --rounds 0"), '--rounds: "0" is not a whole number of at least 1');
  assert.equal(mistakeIn("--only race --seeds 1,x"), '--seeds: "x" is not a whole number of at least 0');
});

test("what cannot be understood is a mistake and not a stack", () => {
  assert.match(mistakeIn("--nosuch"), /'--nosuch'/);
  assert.match(mistakeIn("--only regression --focus ("), /Invalid regular expression/);
  assert.match(mistakeIn("--only api,nosuch"), /there is no suite "nosuch"; there are contract, api/);
  assert.match(mistakeIn("--controller theirs"), /there is no controller "theirs"; there are ours, peer/);
});

test("an option that a suite would ignore is refused", () => {
  assert.equal(
    mistakeIn("--focus x"),
    "--focus is not for all suites: add --only controller or aws or takeover or regression or race or consolidation",
  );
  assert.equal(
    mistakeIn("--only regression,api --focus x"),
    "--focus changes nothing for api; it is for controller or aws or takeover or regression or race or consolidation",
  );
  assert.equal(
    mistakeIn("--only controller --controller peer"),
    "--controller changes nothing for controller; it is for regression",
  );
  assert.equal(mistakeIn("--record"), "--record is not for all suites: add --only contract");
  assert.equal(
    mistakeIn("--only race --all"),
    "--all changes nothing for race; it is for planner and aws and regression",
  );
  assert.equal(mistakeIn("--only race,regression --all"), "options");
  assert.equal(mistakeIn("--rounds 1"), "--rounds is not for all suites: add --only race");
  assert.equal(mistakeIn("--only consolidation --pods 9"), "--pods changes nothing for consolidation; it is for race");
});

test("the usage names every suite", () => {
  assert.equal(read("--help").kind, "help");
  for (const suite of suites) assert.ok(describeUsage(suites).includes(suite));
});
