// Tries the AWS provider on an AWS endpoint for tests: `npm run test:aws [-- --only SUITE,…] [--required]`.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs, styleText } from "node:util";
import nodeOptions from "../../bin/node-options.json" with { type: "json" };
import { readReports, reportTo } from "../../scripts/check/read-reports.ts";
import { someAtATime } from "../../scripts/check/some-at-a-time.ts";
import { type CaseTime, type SuiteTime, tellTimes } from "../../scripts/check/times.ts";
import { type Moto, NoPythonError, startMoto } from "./moto.ts";

/** Every suite reads the SDK. */
const NODE_COMPILE_CACHE = join(import.meta.dirname, "../..", nodeOptions.compileCache);
const suites = join(import.meta.dirname, "suites");
const names = (await readdir(suites))
  .filter((file) => file.endsWith(".ts"))
  .map((file) => file.slice(0, -3))
  .sort();
const { only, isRequired } = readOptions();

/** Each worker has an AWS of its own, because suites begin with an empty one. */
const motos: Moto[] = [];
const times: SuiteTime[] = [];
const cases: CaseTime[] = [];
const summary: string[] = [];
const folder = await mkdtemp(join(tmpdir(), "karpenter-aws-tests-"));
try {
  const wanted = names.filter((name) => only?.includes(name) ?? true);
  const workers = Math.min(availableParallelism(), wanted.length);
  for (let worker = 0; worker < workers; worker++) motos.push(await start());
  await someAtATime(workers, wanted, async (name, worker) => run(name, motos[worker] as Moto));
} finally {
  for (const moto of motos) await moto.stop();
  await rm(folder, { recursive: true });
}
tellTimes("npm run test:aws", { suites: times.toSorted((a, b) => b.seconds - a.seconds), cases });
console.log(`\n${summary.toSorted().join("\n")}`);

async function run(name: string, moto: Moto): Promise<void> {
  moto.check();
  const started = performance.now();
  const { isOk, output } = await runSuite(name, moto);
  if (!isOk) process.exitCode = 1;
  const seconds = (performance.now() - started) / 1000;
  times.push({ suite: name, seconds });
  const outcome = styleText(isOk ? "green" : "red", (isOk ? "ok" : "failed").padEnd(8));
  const line = `${outcome} ${name.padEnd(24)}${`${seconds.toFixed(1)} s`.padStart(8)}`;
  summary.push(line);
  console.log(`${name}:\n${output.trimEnd()}\n${line}`);
}

async function start(): Promise<Moto> {
  try {
    return await startMoto((line) => console.log(line));
  } catch (cause) {
    const isSkipped = cause instanceof NoPythonError && !isRequired;
    if (isSkipped) console.log(`npm run test:aws was left out: ${cause.message}`);
    else console.error(cause instanceof Error ? cause.message : cause);
    process.exit(isSkipped ? 0 : 1);
  }
}

/** In a process of its own: suites end with whatever they have left open. */
async function runSuite(name: string, moto: Moto): Promise<{ readonly isOk: boolean; readonly output: string }> {
  const reports = join(folder, name);
  const child = spawn(
    process.execPath,
    ["--test-reporter=spec", "--test-reporter-destination=stdout", ...reportTo(reports), join(suites, `${name}.ts`)],
    { stdio: ["ignore", "pipe", "pipe"], env: { ...process.env, ...moto.environment, NODE_COMPILE_CACHE } },
  );
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk: Buffer) => (output += chunk));
  const [code] = await once(child, "close");
  for (const test of readReports(reports)) {
    if (test.kind === "test") cases.push({ suite: name, name: test.name, seconds: test.seconds });
  }
  return { isOk: code === 0, output };
}

function readOptions(): { only: readonly string[] | undefined; isRequired: boolean } {
  const usage = `npm run test:aws -- [options]

Tries the AWS provider on moto, which is installed once, outside the repository. Without python3 nothing is tried.

  --only SUITE,…  some suites: ${names.toSorted().join(", ")}
  --required      to try nothing is to fail
  --help          this text`;
  try {
    const { values } = parseArgs({
      options: {
        only: { type: "string" },
        required: { type: "boolean", default: false },
        help: { type: "boolean", default: false },
      },
    });
    if (values.help) {
      console.log(usage);
      process.exit(0);
    }
    const wanted = values.only?.split(",");
    const unknown = wanted?.find((name) => !names.includes(name));
    if (unknown !== undefined) throw new Error(`there is no suite "${unknown}"; there are ${names.join(", ")}`);
    return { only: wanted, isRequired: values.required };
  } catch (cause) {
    console.error(`${cause instanceof Error ? cause.message : cause}\n\n${usage}`);
    process.exit(2);
  }
}
