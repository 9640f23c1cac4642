// Ends processes when whoever started them is gone, however it went: `guard.ts FOLDER` reads one pid per line and,
// when its input ends, ends each and removes the folder.
import { rmSync } from "node:fs";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";

const folder = process.argv[2];
const pids: number[] = [];
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => {});

for await (const line of createInterface({ input: process.stdin })) pids.push(Number(line));

// Nothing in the folder outlives them, so there is nothing that they would have to put in order.
for (const pid of pids.toReversed()) signal(pid, "SIGKILL");
for (let tries = 0; tries < 50 && pids.some((pid) => signal(pid, 0)); tries++) await sleep(20);
if (folder !== undefined) rmSync(folder, { recursive: true, force: true, maxRetries: 5 });

function signal(pid: number, name: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, name);
  } catch {
    return false;
  }
}
