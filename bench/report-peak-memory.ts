// Loaded into the planner's processes with NODE_OPTIONS=--import: each adds its largest resident set, in bytes, to a file.
import { appendFileSync, readFileSync } from "node:fs";
import { isMainThread } from "node:worker_threads";

const file = process.env.KARPENTER_BENCH_MEMORY_FILE;

if (file !== undefined && isMainThread) process.on("exit", () => appendFileSync(file, `${peakMemoryBytes()}\n`));

/** By the kernel's count where there is one, because the usage of a process may include that of its parent. */
function peakMemoryBytes(): number {
  try {
    const [, kilobytes] = /^VmHWM:\s*(\d+) kB$/m.exec(readFileSync("/proc/self/status", "utf8")) ?? [];
    if (kilobytes !== undefined) return Number(kilobytes) * 1024;
  } catch {
    // Not Linux.
  }
  return process.resourceUsage().maxRSS * 1024;
}
