// Makes `npm start`, `npm test` and the like work on a fresh clone. Plain JavaScript without dependencies, because it
// runs before anything is installed, on whatever Node the machine has (18 or later).
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

/** Runs `npm ci` unless node_modules already is what package-lock.json asks for. */
export function ensureInstalled(root) {
  if (isInstalled(root)) return;
  const release = lock(root);
  try {
    if (!isInstalled(root)) install(root);
  } finally {
    release();
  }
}

function isInstalled(root) {
  return read(stampPath(root)) === stampOf(root);
}

function writeStamp(root) {
  mkdirSync(join(root, "node_modules"), { recursive: true });
  writeFileSync(stampPath(root), stampOf(root));
}

/** After "npm ci" or "npm install" by hand, so that it need not be done again; "npm ci --omit=dev" does not count. */
function stampInstallByHand(root) {
  const { devDependencies } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const isWhole = Object.keys(devDependencies).every((name) => existsSync(join(root, "node_modules", name)));
  if (isWhole) writeStamp(root);
}

function stampPath(root) {
  return join(root, "node_modules", ".installed");
}

function stampOf(root) {
  const wanted = read(join(root, "package-lock.json")) ?? read(join(root, "package.json")) ?? "";
  return `${process.platform}-${process.arch} ${createHash("sha256").update(wanted).digest("hex")}\n`;
}

function read(path) {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if (error.code === "ENOENT") return undefined;
    throw error;
  }
}

function install(root) {
  const command = existsSync(join(root, "package-lock.json")) ? "ci" : "install";
  const started = Date.now();
  process.stderr.write(`Installing dependencies (npm ${command}, once) ...`);
  const result = npm(root, [
    command,
    "--ignore-scripts",
    "--include=dev",
    "--include=optional",
    "--prefer-offline",
    "--loglevel=error",
    "--fetch-retry-mintimeout=1000",
    "--fetch-retry-maxtimeout=5000",
  ]);
  if (result.status === 0) {
    writeStamp(root);
    process.stderr.write(` done in ${Math.ceil((Date.now() - started) / 1000)} s\n`);
    return;
  }
  const output = `${result.stdout ?? ""}${result.stderr ?? ""}${result.error?.message ?? ""}`.trim();
  process.stderr.write(` failed\n\n${output}\n\n`);
  throw new InstallError(`Cannot install dependencies in ${root}: ${explain(output, command)}`);
}

class InstallError extends Error {}

function explain(output, command) {
  if (/ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ENETUNREACH|ETIMEDOUT|ENOTCACHED/.test(output)) {
    return 'the npm registry cannot be reached. Connect to it (or name a mirror with "npm config set registry URL"), then run the same command again';
  }
  if (/in sync|EUSAGE/.test(output)) {
    return 'package-lock.json does not match package.json. Run "npm install", then "node scripts/mend-lockfile.ts"';
  }
  if (/ENOENT/.test(output) && !/npm error/.test(output)) return "npm is not on the PATH. Install Node.js with npm";
  return `"npm ${command}" failed, see above. Mend the cause, then run the same command again`;
}

function npm(root, args) {
  const options = { cwd: root, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] };
  const script = process.env.npm_execpath;
  if (script !== undefined && /^npm(-cli)?\.c?js$/.test(basename(script))) {
    // Not the Node in node_modules, which is about to be replaced.
    return spawnSync(process.env.npm_node_execpath ?? process.execPath, [script, ...args], options);
  }
  return spawnSync("npm", args, { ...options, shell: process.platform === "win32" });
}

/** One install at a time for each checkout. A lock whose owner is gone is taken over. */
function lock(root) {
  const name = createHash("sha256")
    .update(`${root} ${process.getuid?.() ?? ""}`)
    .digest("hex")
    .slice(0, 16);
  const path = join(tmpdir(), `karpenter-install-${name}`);
  for (let isFirstTry = true; ; isFirstTry = false) {
    try {
      writeFileSync(path, String(process.pid), { flag: "wx" });
      return () => rmSync(path, { force: true });
    } catch (error) {
      if (error.code !== "EEXIST") throw error;
    }
    const owner = Number(read(path));
    if (owner > 0 && !isAlive(owner)) {
      rmSync(path, { force: true });
    } else {
      if (isFirstTry) process.stderr.write("Waiting for another install of this checkout ...\n");
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 200);
    }
  }
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === "EPERM";
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  const root = dirname(dirname(fileURLToPath(import.meta.url)));
  try {
    if (process.argv.includes("--stamp")) stampInstallByHand(root);
    else ensureInstalled(root);
  } catch (error) {
    if (!(error instanceof InstallError)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exitCode = 1;
  }
}
