// Runs one suite in a process of its own: `run-suite.ts --only SUITE [options]`. Its result goes to main.ts.
import { NoGoError } from "../../scripts/lab/binaries.ts";
import { readOptions } from "./options.ts";
import { Focus } from "./suite.ts";
import { suites } from "./suites.ts";

export interface SuiteResult {
  /** What is wrong, one text each. */
  readonly problems: readonly string[];
  readonly cases: readonly { readonly name: string; readonly seconds: number }[];
  /** What only `--all` would have tried. */
  readonly leftToAll: readonly string[];
  /** There is no Go to build the programs with, in words. */
  readonly noGo?: string;
}

const reading = readOptions(
  process.argv.slice(2),
  suites.map(({ name }) => name),
);
if (reading.kind !== "options") throw new Error("main.ts has let options pass that cannot be read");
const { only, focus, ...wishes } = reading.options;
const suite = suites.find(({ name }) => name === only?.[0]);
if (suite === undefined) throw new Error("main.ts has named no suite");
// Some suites leave a connection open.
process.send?.(await run(suite), () => process.exit());

async function run({ name, run }: (typeof suites)[number]): Promise<SuiteResult> {
  const focused = focus === undefined ? undefined : new Focus(focus);
  const cases: { name: string; seconds: number }[] = [];
  const leftToAll: string[] = [];
  const context = {
    ...wishes,
    focus: focused,
    progress: (line: string) => console.log(`${name}: ${line}`),
    took: (part: string, seconds: number) => void cases.push({ name: part, seconds }),
    leaveToAll: (part: string) => void leftToAll.push(part),
  };
  try {
    const problems = await run(context);
    if (focused === undefined || focused.hasMatched) return { problems, cases, leftToAll };
    return {
      problems: [...problems, `Nothing in ${name} is called ${focused}, so nothing was tried`],
      cases,
      leftToAll,
    };
  } catch (cause) {
    const problem = cause instanceof Error ? (cause.stack ?? cause.message) : String(cause);
    return { problems: [problem], cases, leftToAll, ...(cause instanceof NoGoError ? { noGo: cause.message } : {}) };
  }
}
