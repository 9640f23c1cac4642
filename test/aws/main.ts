// Tries the AWS provider on an AWS endpoint for tests: `npm run test:aws [-- --only SUITE,…] [--required]`.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { parseArgs, styleText } from "node:util";
import { type Moto, NoPythonError, startMoto } from "./moto.ts";

const folder = join(import.meta.dirname, "suites");
const names = (await readdir(folder)).filter((file) => file.endsWith(".ts")).map((file) => file.slice(0, -3));
const { only, isRequired } = readOptions();

const moto = await start();
const summary: string[] = [];
try {
  for (const name of names.toSorted().filter((name) => only?.includes(name) ?? true)) {
    moto.check();
    console.log(`${name}:`);
    const started = performance.now();
    const isOk = await runSuite(name);
    if (!isOk) process.exitCode = 1;
    const outcome = styleText(isOk ? "green" : "red", (isOk ? "ok" : "failed").padEnd(8));
    const time = `${((performance.now() - started) / 1000).toFixed(1)} s`.padStart(8);
    summary.push(`${outcome} ${name.padEnd(24)}${time}`);
  }
} finally {
  await moto.stop();
}
console.log(`\n${summary.join("\n")}`);

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
async function runSuite(name: string): Promise<boolean> {
  const child = spawn(process.execPath, [join(folder, `${name}.ts`)], {
    stdio: ["ignore", "inherit", "inherit"],
    env: { ...process.env, ...moto.environment },
  });
  const [code] = await once(child, "exit");
  return code === 0;
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
