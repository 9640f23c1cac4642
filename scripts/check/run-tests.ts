// Runs all tests that need nothing but Node: `npm test`, or `npm test -- test/scenarios` for those below a folder.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { globSync, mkdtempSync, rmSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join, relative } from "node:path";
import { styleText } from "node:util";
import nodeOptions from "../../bin/node-options.json" with { type: "json" };
import { readReports } from "./read-reports.ts";
import { someAtATime } from "./some-at-a-time.ts";
import type { TestOutcome } from "./test-reporter.ts";
import { type CaseTime, tellTimes } from "./times.ts";

const root = join(import.meta.dirname, "../..");

/** Tests of one batch share a process, which is many times faster than one for each file. Those that take longest start first. */
const batches: readonly RegExp[] = [
  /^test\/scenarios\//,
  /^src\/cli\//,
  /^(src\/adapters|test\/contract|test\/kube)\//,
  /^test\/controllers\//,
  /^test\//,
  /./,
];

/** One more than there are cores: several batches wait a good part of their time for servers, timers and processes. */
const atATime = availableParallelism() + 1;

const started = performance.now();
const folder = mkdtempSync(join(tmpdir(), "karpenter-tests-"));
const outcomes: TestOutcome[] = [];
const suiteSeconds = new Map<string, number>();
const problems: string[] = [];
try {
  const found = findBatches(process.argv.slice(2));
  const fileCount = found.reduce((sum, { files }) => sum + files.length, 0);
  console.log(`${fileCount} files with tests in ${found.length} batches, ${atATime} at a time`);
  await someAtATime(atATime, found, run);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
tell();

interface Batch {
  readonly name: string;
  readonly files: readonly string[];
}

function findBatches(wanted: readonly string[]): Batch[] {
  const files = globSync("{src,test,scripts,bench}/**/*.test.ts", { cwd: root })
    .filter((file) => wanted.length === 0 || wanted.some((part) => file.includes(part)))
    .sort();
  if (files.length === 0) problems.push(`There is no test file ${wanted.join(" or ")}`);
  return Object.values(Object.groupBy(files, (file) => batches.findIndex((pattern) => pattern.test(file)))).flatMap(
    (group = []) => (group.length === 0 ? [] : [{ name: [...new Set(group.map(suiteOf))].join(", "), files: group }]),
  );
}

/** Two folders deep: `src/core`, `test/scenarios`. */
function suiteOf(file: string): string {
  return file.split("/").slice(0, -1).slice(0, 2).join("/");
}

async function run({ name, files }: Batch): Promise<void> {
  const reports = join(folder, suiteOf(files[0] ?? "").replace("/", "-"));
  const child = spawn(
    process.execPath,
    [
      "--disable-warning=ExperimentalWarning",
      "--max-semi-space-size=64",
      join(import.meta.dirname, "run-batch.ts"),
      reports,
      ...files,
    ],
    {
      cwd: root,
      stdio: ["ignore", "pipe", "pipe"],
      // Tests that start the command line read its sources dozens of times.
      env: { ...process.env, NODE_COMPILE_CACHE: join(root, nodeOptions.compileCache) },
    },
  );
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk: Buffer) => (output += chunk));
  const [code, signal] = await once(child, "close");
  if (output.trim() !== "") console.log(output.trimEnd());
  const all = readReports(reports);
  const tests = all.filter((report) => report.kind === "test");
  const failed = tests.filter(({ outcome }) => outcome === "failed");
  outcomes.push(...tests);
  for (const report of all) {
    if (report.kind !== "topLevel") continue;
    const suite = suiteOf(relative(root, report.file));
    suiteSeconds.set(suite, (suiteSeconds.get(suite) ?? 0) + report.seconds);
  }
  for (const test of failed) console.log(describeFailure(test));
  const isOk = code === 0 && all.some((report) => report.kind === "summary" && report.isOk);
  if (!isOk && failed.length === 0) problems.push(`The tests of ${name} ended with ${signal ?? code}, and none failed`);
  const sign = isOk ? styleText("green", "ok    ") : styleText("red", "failed");
  const seconds = ((performance.now() - started) / 1000).toFixed(0);
  console.log(`${sign} ${`${tests.length}`.padStart(5)} tests of ${name}${styleText("dim", `, after ${seconds} s`)}`);
}

function describeFailure({ file, name, error = "" }: TestOutcome): string {
  return `\n${styleText("red", `✖ ${name}`)}\n  ${relative(root, file)}\n  ${error.replaceAll("\n", "\n  ")}\n`;
}

function tell(): void {
  const count = (wanted: TestOutcome["outcome"]) => outcomes.filter(({ outcome }) => outcome === wanted).length;
  const failed = outcomes.filter(({ outcome }) => outcome === "failed");
  // Again, where a reader of a long log looks for them.
  for (const test of failed) console.log(describeFailure(test));
  for (const problem of problems) console.log(`\n${styleText("red", problem)}`);
  const cases = outcomes.map(caseTime);
  const suites = [...suiteSeconds]
    .map(([suite, seconds]) => ({ suite, seconds }))
    .sort((a, b) => b.seconds - a.seconds);
  tellTimes("npm test", { suites, cases });
  console.log(`\n# tests ${outcomes.length}`);
  console.log(`# pass ${count("passed")}`);
  console.log(`# fail ${count("failed")}`);
  console.log(`# skipped ${count("skipped")}`);
  console.log(`# todo ${count("todo")}`);
  console.log(`# seconds ${((performance.now() - started) / 1000).toFixed(1)}`);
  if (failed.length > 0 || problems.length > 0) process.exitCode = 1;
}

function caseTime({ file, name, seconds }: TestOutcome): CaseTime {
  return { suite: suiteOf(relative(root, file)), name, seconds };
}
