// Tells at the end of a command where its time went.
import { appendFileSync, readFileSync } from "node:fs";
import { styleText } from "node:util";

/** How long a test, a story or a spec took. */
export interface CaseTime {
  readonly suite: string;
  readonly name: string;
  readonly seconds: number;
}

/** How long a part of a command took from its beginning to its end. */
export interface SuiteTime {
  readonly suite: string;
  readonly seconds: number;
}

export interface Times {
  readonly suites: readonly SuiteTime[];
  readonly cases: readonly CaseTime[];
}

const slowest = 20;

/** Suites in the order given, and the slowest cases. */
export function describeTimes({ suites, cases }: Times): string {
  const lines = [styleText("bold", "Time by suite"), ...suites.map(describeSuite)];
  const top = cases.toSorted((a, b) => b.seconds - a.seconds).slice(0, slowest);
  if (top.length === 0) return lines.join("\n");
  const title = `Slowest ${top.length} of ${cases.length} cases`;
  return [...lines, "", styleText("bold", title), ...top.map(describeCase)].join("\n");

  function describeSuite({ suite, seconds }: SuiteTime): string {
    const count = cases.filter((one) => one.suite === suite).length;
    return `${inSeconds(seconds)}  ${suite}${count === 0 ? "" : styleText("dim", `  ${count} cases`)}`;
  }

  function describeCase({ suite, name, seconds }: CaseTime): string {
    return `${inSeconds(seconds)}  ${styleText("dim", suite)}  ${name}`;
  }
}

function inSeconds(seconds: number): string {
  return `${seconds.toFixed(1)} s`.padStart(9);
}

/** Prints the times, and keeps them for a caller that runs several commands: `.ci/run` names a file in `TIMES_FILE`. */
export function tellTimes(command: string, times: Times): void {
  console.log(`\n${describeTimes(times)}`);
  const file = process.env.TIMES_FILE;
  if (file !== undefined) keepTimes(file, command, times);
}

export function keepTimes(file: string, command: string, { suites, cases }: Times): void {
  appendFileSync(file, `${JSON.stringify({ command, suites, cases })}\n`);
}

/** The times of several commands in one, suites under the name of their command. */
export function readTimes(file: string): Times {
  const all = readFileSync(file, "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Times & { readonly command: string });
  return {
    suites: all.flatMap(({ command, suites }) =>
      suites.map(({ suite, seconds }) => ({ suite: `${command} ${suite}`, seconds })),
    ),
    cases: all.flatMap(({ command, cases }) => cases.map((one) => ({ ...one, suite: `${command} ${one.suite}` }))),
  };
}
