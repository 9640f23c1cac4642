// Tries what needs real programs: `npm run e2e`; `npm run e2e -- --help` says what else it can do.
import { fork } from "node:child_process";
import { once } from "node:events";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { styleText } from "node:util";
import { someAtATime } from "../../scripts/check/some-at-a-time.ts";
import { type SuiteTime, tellTimes } from "../../scripts/check/times.ts";
import { describeUsage, readOptions } from "./options.ts";
import { raceFlags } from "./race/race-options.ts";
import type { SuiteResult } from "./run-suite.ts";
import type { Suite } from "./suite.ts";
import { suites } from "./suites.ts";

const names = suites.map(({ name }) => name);
const reading = readOptions(process.argv.slice(2), names);
if (reading.kind === "help") {
  console.log(describeUsage(names));
  process.exit(0);
}
if (reading.kind === "mistake") {
  console.error(`${reading.message}\n\n${describeUsage(names)}`);
  process.exit(2);
}
const { only, focus, isAll, isRecording, controller, race } = reading.options;
const flags = [
  ...(isAll ? ["--all"] : []),
  ...(isRecording ? ["--record"] : []),
  ...(controller === "ours" ? [] : ["--controller", controller]),
  ...(focus === undefined ? [] : ["--focus", focus.source]),
  ...raceFlags(race),
];

/** They wait most of the time, each for a control plane of its own. */
const suitesAtATime = availableParallelism() + 1;

const wanted = suites.filter(isWanted);
const outcomes: (SuiteResult & SuiteTime)[] = [];
await someAtATime(
  suitesAtATime,
  wanted.filter(({ isMeasurement }) => !isMeasurement),
  run,
);
// With the machine to themselves.
for (const suite of wanted.filter(({ isMeasurement }) => isMeasurement)) await run(suite);
tell();

/** In a process of its own: none can stop the others, and none waits for what another computes. */
async function run({ name }: Suite): Promise<void> {
  const started = performance.now();
  const child = fork(join(import.meta.dirname, "run-suite.ts"), ["--only", name, ...flags]);
  let result: SuiteResult | undefined;
  child.on("message", (message) => {
    result = message as SuiteResult;
  });
  const [code, signal] = await once(child, "exit");
  const { noGo, ...rest } = result ?? {
    problems: [`${name} ended (${signal ?? code}) without a result`],
    cases: [],
    leftToAll: [],
  };
  if (noGo !== undefined) {
    // The others would say the same.
    console.error(noGo);
    process.exit(1);
  }
  const outcome = { ...rest, suite: name, seconds: (performance.now() - started) / 1000 };
  outcomes.push(outcome);
  for (const problem of outcome.problems) console.log(`\n${name}: ${problem}`);
  console.log(describe(outcome));
}

function tell(): void {
  const failed = outcomes.filter(({ problems }) => problems.length > 0);
  // Again, because whoever looks at the end of a long log looks for them.
  for (const { suite, problems } of failed) for (const problem of problems) console.log(`\n${suite}: ${problem}`);
  const cases = outcomes.flatMap(({ suite, cases }) => cases.map((one) => ({ ...one, suite })));
  const suiteTimes = outcomes.map(({ suite, seconds }) => ({ suite, seconds }));
  tellTimes("npm run e2e", { suites: suiteTimes.toSorted((a, b) => b.seconds - a.seconds), cases });
  tellWhatIsLeft();
  console.log(`\n${outcomes.map(describe).join("\n")}`);
  if (failed.length > 0) process.exitCode = 1;
}

function tellWhatIsLeft(): void {
  const suitesLeft = only === undefined ? suites.filter((suite) => !isWanted(suite)).map(({ name }) => name) : [];
  const partsLeft = outcomes.flatMap(({ suite, leftToAll }) => leftToAll.map((name) => `${suite}: ${name}`));
  const left = [...suitesLeft, ...partsLeft];
  if (left.length > 0) console.log(`\nLeft to --all:\n${left.map((name) => `  ${name}`).join("\n")}`);
}

function describe({ suite, seconds, problems }: SuiteResult & SuiteTime): string {
  const isOk = problems.length === 0;
  const sign = styleText(isOk ? "green" : "red", (isOk ? "ok" : "failed").padEnd(8));
  const time = `${seconds.toFixed(1)} s`.padStart(8);
  return `${sign} ${suite.padEnd(16)}${time}${isOk ? "" : `  ${problems.length} problems`}`;
}

function isWanted({ name, isMeasurement = false }: Suite): boolean {
  return only?.includes(name) ?? (isAll || !isMeasurement);
}
