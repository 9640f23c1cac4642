import { spawn } from "node:child_process";

export interface Ran {
  readonly status: number | null;
  readonly output: string;
}

export interface RunOptions {
  readonly folder: string;
  readonly environment?: NodeJS.ProcessEnv;
}

const patienceMs = 300_000;

/** Runs a program to its end, with all that it says in one text. */
export async function run(words: readonly string[], { folder, environment = process.env }: RunOptions): Promise<Ran> {
  const [program = "", ...args] = words;
  return await new Promise((resolve, reject) => {
    const child = spawn(program, args, {
      cwd: folder,
      env: environment,
      stdio: ["ignore", "pipe", "pipe"],
      timeout: patienceMs,
    });
    let output = "";
    for (const stream of [child.stdout, child.stderr]) {
      stream.on("data", (chunk) => {
        output += chunk;
      });
    }
    child.on("error", reject);
    child.on("close", (status) => resolve({ status, output }));
  });
}

/** Runs a program that nothing can go on without. */
export async function mustRun(words: readonly string[], options: RunOptions): Promise<string> {
  const { status, output } = await run(words, options);
  if (status !== 0) throw new Error(`"${words.join(" ")}" ended with ${status} and said: ${output}`);
  return output;
}
