import { spawn } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import { ensureKubectl } from "../../../scripts/lab/binaries.ts";

export interface Ran {
  readonly status: number;
  readonly output: string;
}

/** One line of a story: what a person types, and what has to be the case before it is judged. */
export interface Command {
  readonly line: string;
  readonly input?: string;
  /** Repeats the command until its output matches: for what takes its time. */
  readonly until?: RegExp;
  /** Runs, but what it says depends on chance or time, and is not compared. */
  readonly isUnspoken?: boolean;
}

const patienceMs = 180_000;
let found: Promise<string> | undefined;

/** Runs a command line with kubectl on a cluster, again and again where it has something to wait for. */
export async function runCommand(command: Command, kubeconfig: string): Promise<Ran> {
  const deadline = performance.now() + patienceMs;
  for (;;) {
    const ran = await kubectl(command, kubeconfig);
    if (command.until === undefined || command.until.test(ran.output) || performance.now() > deadline) return ran;
    await sleep(200);
  }
}

async function kubectl({ line, input }: Command, kubeconfig: string): Promise<Ran> {
  found ??= ensureKubectl(() => {});
  const program = await found;
  return await new Promise((resolve, reject) => {
    const child = spawn(program, splitLine(line), {
      env: { ...process.env, KUBECONFIG: kubeconfig, KUBECTL_EXTERNAL_DIFF: "diff -u" },
    });
    let output = "";
    child.stdout.on("data", (chunk) => {
      output += chunk;
    });
    child.stderr.on("data", (chunk) => {
      output += chunk;
    });
    const timer = setTimeout(() => child.kill(), patienceMs);
    child.on("error", reject);
    child.on("close", (status) => {
      clearTimeout(timer);
      resolve({ status: status ?? -1, output });
    });
    child.stdin.end(input);
  });
}

/** Words, with single quotes around what has spaces, as a shell would read them. */
function splitLine(line: string): string[] {
  return [...line.matchAll(/(?:'[^']*'|[^\s'])+/g)].map(([word]) => word.replaceAll("'", ""));
}

/** What is left of an output when chance, time and the width of columns are taken out of it. */
export function withoutChance(output: string): string {
  return output
    .split("\n")
    .map((line) =>
      line
        .replace(/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/g, "UID")
        .replace(/\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g, "TIME")
        .replace(/\b(Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d\d \w{3} \d{4} \d\d:\d\d:\d\d [+-]\d{4}/g, "TIME")
        .replace(/-[bcdf-hj-np-tv-xz2-9]{6,10}-[bcdf-hj-np-tv-xz2-9]{5}\b/g, "-HASH-NAME")
        .replace(/-[bcdf-hj-np-tv-xz2-9]{8,10}\b/g, "-HASH")
        .replace(/-[bcdf-hj-np-tv-xz2-9]{5}\b/g, "-NAME")
        .replace(/(pod-template-hash|controller-revision-hash)=\S+/g, "$1=HASH")
        .replace(/\b10\.\d+\.\d+\.\d+\b/g, "IP")
        .replace(/(?<![\w.-])(\d+[dhms]){1,3}(?=\s|$|\))/g, "AGE")
        .replace(/\(x\d+ over AGE\)/g, "")
        .replace(/(resourceVersion: "|Resource Version: +|resourceVersion\\":\\")\d+/g, "$1N")
        // Ours keeps none of objects that nobody applied server-side.
        .replace(/\\"managedFields\\":\[.*?\}\],/g, "")
        .replace(/\b(kwok-[\d.]+|v1\.\d+\.\d+)/g, "VERSION")
        .replace(/[ \t]+/g, " ")
        .trimEnd(),
    )
    .filter((line) => !line.startsWith("WARNING: version difference"))
    .join("\n");
}
