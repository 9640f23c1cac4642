// The whole gate, for people and for CI: `npm run check`, or `npm run check -- --only lint,types`, or `-- --skip tests`.
import { spawn } from "node:child_process";
import { parseArgs, styleText } from "node:util";
import { tellTimes } from "./check/times.ts";

interface Step {
  readonly name: string;
  readonly command: string;
  /** Show the output while it runs; the others show theirs when they fail. */
  readonly isLong?: boolean;
}

const steps: readonly Step[] = [
  { name: "format", command: "biome check --linter-enabled=false --error-on-warnings" },
  { name: "lint", command: "biome lint --error-on-warnings" },
  { name: "types", command: "tsc -p tsconfig.json" },
  { name: "core-types", command: "tsc -p tsconfig.core.json" },
  { name: "layers", command: "node scripts/check-layers.ts" },
  { name: "lock-file", command: "node scripts/mend-lockfile.ts --check" },
  { name: "dead-code", command: "knip" },
  { name: "tests", command: "npm test", isLong: true },
];

interface Result {
  readonly name: string;
  readonly outcome: "ok" | "failed" | "skipped";
  readonly seconds: number;
}

async function runStep({ name, command, isLong = false }: Step): Promise<Result> {
  const started = performance.now();
  const isLive = process.stdout.isTTY && !isLong;
  process.stdout.write(`${name}: ${command}${isLive ? "" : "\n"}`);
  const { isOk, output } = await run(command, isLong);
  const seconds = (performance.now() - started) / 1000;
  if (isLive) process.stdout.write("\r\x1b[2K");
  if (!isOk && output !== "") process.stdout.write(`${output.trimEnd()}\n`);
  const result: Result = { name, outcome: isOk ? "ok" : "failed", seconds };
  console.log(describe(result));
  return result;
}

function run(command: string, isLong: boolean): Promise<{ isOk: boolean; output: string }> {
  const { promise, resolve, reject } = Promise.withResolvers<{ isOk: boolean; output: string }>();
  const child = spawn(command, {
    shell: true,
    stdio: ["ignore", isLong ? "inherit" : "pipe", isLong ? "inherit" : "pipe"],
  });
  let output = "";
  const collect = (chunk: Buffer) => {
    output += chunk.toString();
  };
  child.stdout?.on("data", collect);
  child.stderr?.on("data", collect);
  child.on("error", reject);
  child.on("close", (code) => resolve({ isOk: code === 0, output }));
  return promise;
}

function describe({ name, outcome, seconds }: Result): string {
  const color = outcome === "ok" ? "green" : outcome === "failed" ? "red" : "yellow";
  const time = outcome === "skipped" ? "" : `${seconds.toFixed(1)} s`.padStart(8);
  return `${styleText(color, outcome.padEnd(8))} ${name.padEnd(11)}${time}`.trimEnd();
}

function chosen(list: string | undefined): string[] | undefined {
  const names = list?.split(",");
  const unknown = names?.find((name) => !steps.some((step) => step.name === name));
  if (unknown !== undefined) {
    console.error(`There is no step "${unknown}"; there are ${steps.map(({ name }) => name).join(", ")}`);
    process.exit(2);
  }
  return names;
}

const { values } = parseArgs({ options: { skip: { type: "string" }, only: { type: "string" } } });
const only = chosen(values.only);
const skip = chosen(values.skip);

const results: Result[] = [];
for (const step of steps) {
  const isChosen = (only?.includes(step.name) ?? true) && !skip?.includes(step.name);
  results.push(isChosen ? await runStep(step) : { name: step.name, outcome: "skipped", seconds: 0 });
}

const ran = results.filter(({ outcome }) => outcome !== "skipped");
tellTimes("npm run check", { suites: ran.map(({ name, seconds }) => ({ suite: name, seconds })), cases: [] });
console.log(`\n${results.map(describe).join("\n")}`);
const failed = results.filter(({ outcome }) => outcome === "failed").map(({ name }) => name);
if (failed.length > 0) {
  console.log(`\nFailed: ${failed.join(", ")}. Run one alone with "npm run check -- --only ${failed[0]}".`);
  process.exitCode = 1;
}
