import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync, readFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";

/** Programs that belong together: they write their logs into one folder, end together, and the folder ends with them. */
export interface ProcessGroup {
  /** Returns the process id. A program that ends by itself fails the next `check`. */
  start(name: string, file: string, args: readonly string[]): number;
  /** Throws when a program of the group has ended, with the end of its log. */
  check(): void;
  stop(): Promise<void>;
}

export function createProcessGroup(folder: string): ProcessGroup {
  const children = new Map<string, ChildProcess>();
  const guard = spawn(process.execPath, [join(import.meta.dirname, "guard.ts"), folder], {
    stdio: ["pipe", "ignore", "inherit"],
    detached: true,
  });
  guard.unref();
  const hasGuardEnded = once(guard, "exit");
  const logFile = (name: string) => join(folder, `${name}.log`);
  return {
    start(name, file, args) {
      const log = openSync(logFile(name), "w");
      const child = spawn(file, args, { cwd: folder, stdio: ["ignore", log, log], detached: true });
      closeSync(log);
      child.unref();
      child.on("error", () => {});
      if (child.pid !== undefined) guard.stdin.write(`${child.pid}\n`);
      children.set(name, child);
      return child.pid ?? 0;
    },
    check() {
      for (const [name, child] of children) {
        if (child.pid !== undefined && child.exitCode === null && child.signalCode === null) continue;
        const log = readFileSync(logFile(name), "utf8").trimEnd().split("\n").slice(-15).join("\n");
        throw new Error(`${name} ended by itself (${child.signalCode ?? child.exitCode ?? "not started"}):\n${log}`);
      }
    },
    async stop() {
      guard.ref();
      guard.stdin.end();
      await hasGuardEnded;
    },
  };
}

/** Ports of loopback that nobody listens on at this moment. */
export async function findFreePorts(count: number): Promise<number[]> {
  const servers = Array.from({ length: count }, () => createServer().listen(0, "127.0.0.1"));
  await Promise.all(servers.map((server) => once(server, "listening")));
  const ports = servers.map((server) => {
    const address = server.address();
    return typeof address === "object" && address !== null ? address.port : 0;
  });
  await Promise.all(servers.map((server) => once(server.close(), "close")));
  return ports;
}
