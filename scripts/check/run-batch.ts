// Runs test files in one process and writes what becomes of them into a file: `node scripts/check/run-batch.ts REPORTS FILE...`
import asyncHooks from "node:async_hooks";
import { createWriteStream } from "node:fs";
import { pipeline } from "node:stream/promises";
import report from "./test-reporter.ts";

// The test runner of Node tracks every promise, to know from which test an error comes that no test awaits. That takes up
// to a fifth of the time of our tests. Without it, such an error still fails the batch, but the wrong test may get the
// blame, so the error is printed.
const { createHook } = asyncHooks;
Object.assign(asyncHooks, {
  createHook: (callbacks: asyncHooks.HookCallbacks) => createHook({ ...callbacks, trackPromises: false }),
});
process.on("uncaughtExceptionMonitor", (error) => console.error(error));
process.on("unhandledRejection", (reason) => console.error(reason));

const [reports = "", ...files] = process.argv.slice(2);
const { run } = await import("node:test");
const events = run({ files, isolation: "none" }).on("test:summary", ({ success }) => {
  if (!success) process.exitCode = 1;
});
await pipeline(events, report, createWriteStream(reports));
