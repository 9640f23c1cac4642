import { spawn } from "node:child_process";

export interface ChildOptions {
  readonly timeoutSeconds?: number;
  readonly cwd?: string;
  readonly env?: NodeJS.ProcessEnv;
}

export type ChildResult =
  | { readonly kind: "done"; readonly stdout: string }
  | { readonly kind: "failed"; readonly reason: string }
  | { readonly kind: "timeout"; readonly seconds: number };

/** Runs a program to its end, or to the end of its time. */
export function runChild(
  command: string,
  args: readonly string[],
  { timeoutSeconds, cwd, env = process.env }: ChildOptions = {},
): Promise<ChildResult> {
  const { promise, resolve } = Promise.withResolvers<ChildResult>();
  const child = spawn(command, args, { stdio: ["ignore", "pipe", "pipe"], env, ...(cwd === undefined ? {} : { cwd }) });
  let [stdout, stderr, isLate] = ["", "", false];
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    stdout += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
  });
  const started = performance.now();
  // Not SIGKILL: bin/karpenter passes this one on to the planner.
  const stop = () => {
    isLate = true;
    child.kill("SIGTERM");
  };
  const timer = timeoutSeconds === undefined ? undefined : setTimeout(stop, timeoutSeconds * 1000);
  child.on("error", (error) => {
    clearTimeout(timer);
    resolve({ kind: "failed", reason: error.message });
  });
  child.on("close", (code, signal) => {
    clearTimeout(timer);
    if (isLate) resolve({ kind: "timeout", seconds: (performance.now() - started) / 1000 });
    else if (code === 0) resolve({ kind: "done", stdout });
    else resolve({ kind: "failed", reason: `${signal ?? `exit code ${code}`}: ${lastLines(stderr)}` });
  });
  return promise;
}

function lastLines(text: string): string {
  return text.trim().split("\n").slice(-3).join(" ").slice(-300);
}
