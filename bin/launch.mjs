// Starts karpenter on the Node that this package pins. Runs on Node 18 and later.
// In a checkout it installs what is missing and runs the source; in an installed package it runs the build.
import { spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const source = join(root, "src", "cli", "main.ts");
const isCheckout = existsSync(source);
/** How Node is told to run karpenter, by whoever starts it. */
const options = JSON.parse(readFileSync(new URL("node-options.json", import.meta.url), "utf8"));

try {
  if (isCheckout) {
    const { ensureInstalled } = await import("../scripts/ensure-installed.mjs");
    ensureInstalled(root);
  }
  run(findNode(), isCheckout ? source : join(root, "dist", "cli", "main.js"));
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
  process.exitCode = 1;
}

function findNode() {
  const system = process.platform === "win32" ? "win" : process.platform;
  const binary = process.platform === "win32" ? "node.exe" : "node";
  try {
    const manifest = createRequire(import.meta.url).resolve(`node-${system}-${process.arch}/package.json`);
    const pinned = join(dirname(manifest), "bin", binary);
    if (existsSync(pinned)) return pinned;
  } catch {
    // No package for this platform: the machine's own Node has to serve.
  }
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
  if (major > 22 || (major === 22 && minor >= 19)) return process.execPath;
  throw new Error(
    `Cannot start karpenter: this machine runs Node ${process.versions.node}, and there is no pinned Node for ` +
      `${process.platform} on ${process.arch}. Install Node 24 (22.19 or later serves) and run the command again`,
  );
}

/** Types are stripped and code is compiled once, not at every start: half the time, and a sixth of the memory less. */
function compileCache() {
  if (!isCheckout || process.env.NODE_COMPILE_CACHE !== undefined) return {};
  return { NODE_COMPILE_CACHE: join(root, options.compileCache) };
}

function run(node, main) {
  // Left alone, V8 lets short-lived objects pile up to a hundred megabytes before it looks at them, and takes twice the
  // memory that is in use rather than look at the others.
  const child = spawn(node, [...options.arguments, main, ...process.argv.slice(2)], {
    stdio: "inherit",
    env: { ...process.env, ...compileCache() },
  });
  const hasTerminal = process.stdin.isTTY || process.stdout.isTTY || process.stderr.isTTY;
  const forwards = ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT", "SIGUSR2"].map((signal) => {
    // A terminal sends Ctrl-C and Ctrl-\ to the child as well; twice would be once too often.
    const isSentTwice = hasTerminal && (signal === "SIGINT" || signal === "SIGQUIT");
    const forward = () => isSentTwice || child.kill(signal);
    process.on(signal, forward);
    return [signal, forward];
  });
  child.on("error", (error) => {
    process.stderr.write(`Cannot start karpenter: ${node}: ${error.message}\n`);
    process.exit(1);
  });
  child.on("exit", (code, signal) => {
    for (const [name, forward] of forwards) process.off(name, forward);
    if (signal === null) process.exit(code ?? 1);
    process.kill(process.pid, signal);
  });
}
