import { readFile, rm, writeFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";

const pauseMs = 200;
const triesBetweenWords = 300;

/** One act at a time among all processes of this machine. The lock of a process that is gone is taken over. */
export async function withLock<Result>(file: string, act: () => Promise<Result>): Promise<Result> {
  for (let tries = 1; !(await take(file)); tries++) {
    if (tries % triesBetweenWords === 0) console.error(`Waiting for another process; if there is none, remove ${file}`);
    await sleep(pauseMs);
  }
  try {
    return await act();
  } finally {
    await rm(file, { force: true });
  }
}

async function take(file: string): Promise<boolean> {
  try {
    await writeFile(file, String(process.pid), { flag: "wx" });
    return true;
  } catch (cause) {
    if (!(cause instanceof Error && "code" in cause && cause.code === "EEXIST")) throw cause;
  }
  const owner = Number(await readFile(file, "utf8").catch(() => ""));
  if (owner > 0 && !isAlive(owner)) await rm(file, { force: true });
  return false;
}

function isAlive(processId: number): boolean {
  try {
    return process.kill(processId, 0);
  } catch (cause) {
    return cause instanceof Error && "code" in cause && cause.code === "EPERM";
  }
}
