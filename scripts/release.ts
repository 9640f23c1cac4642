// Makes a release: `npm run release -- --version 1.2.3 [--dry-run]`. docs/releasing.md says what comes before and after.
import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { ensureProgram, findOnPath } from "./lab/binaries.ts";
import { charts, planRelease, ReleaseError, type ReleasePlan } from "./plan-release.ts";

/** Where archives are put. */
const archives = "release";

interface Options {
  readonly root: string;
  readonly version: string;
  readonly isDryRun: boolean;
}

interface Programs {
  readonly helm: string;
  readonly engine: string;
}

async function release({ root, version, isDryRun }: Options): Promise<void> {
  const read = (path: string) => readFileSync(join(root, path), "utf8");
  requireCleanTree(root, version);
  const date = new Date().toISOString().slice(0, 10);
  const plan = planRelease({ version, date, read });
  const programs = isDryRun ? { helm: "helm", engine: "docker" } : await findPrograms();
  const commands = commandsOf(plan, version, programs);
  console.log(`Release ${version}, with what CHANGELOG.md has under Unreleased:\n\n${plan.notes}\n`);
  if (isDryRun) {
    for (const path of plan.files.keys()) console.log(`would write ${path}`);
    for (const command of commands) console.log(`would run   ${command.join(" ")}`);
    console.log("\nA dry run: nothing was changed.");
    return;
  }
  carryOut(root, plan, commands);
  console.log(`\nMade ${version}. Nothing is published yet: docs/releasing.md says how.`);
}

function requireCleanTree(root: string, version: string): void {
  const changes = ask(root, ["status", "--porcelain"]);
  if (changes !== "")
    throw new ReleaseError(`the tree has changes that no commit has. Commit or remove them:\n${changes}`);
  if (ask(root, ["tag", "--list", `v${version}`]) !== "") throw new ReleaseError(`there is a tag v${version} already`);
}

function ask(root: string, args: readonly string[]): string {
  const { status, stdout, stderr, error } = spawnSync("git", args, { cwd: root, encoding: "utf8" });
  if (status !== 0) throw new ReleaseError(`git ${args.join(" ")} failed: ${error?.message ?? stderr.trim()}`);
  return stdout;
}

async function findPrograms(): Promise<Programs> {
  const engine = (await findOnPath("docker")) ?? (await findOnPath("podman"));
  if (engine === undefined) {
    throw new ReleaseError("there is neither docker nor podman on the PATH: install one, to build the image with");
  }
  return { engine, helm: (await findOnPath("helm")) ?? (await ensureProgram("helm", (line) => console.log(line))) };
}

function commandsOf({ files, image }: ReleasePlan, version: string, { helm, engine }: Programs): string[][] {
  return [
    // The lock file has another version now, but what it asks for is still what is installed.
    ["node", "scripts/ensure-installed.mjs", "--stamp"],
    ["npm", "pack", "--pack-destination", archives],
    ...charts.map((chart) => [helm, "package", chart, "--destination", archives]),
    [engine, "build", "--tag", image, "."],
    ["git", "commit", "--message", `Release ${version}`, "--", ...files.keys()],
    ["git", "tag", "--annotate", `v${version}`, "--message", `Release ${version}`],
  ];
}

/** What cannot be built leaves files as they were. */
function carryOut(root: string, { files }: ReleasePlan, commands: readonly (readonly string[])[]): void {
  const before = new Map([...files.keys()].map((path) => [path, readFileSync(join(root, path), "utf8")]));
  mkdirSync(join(root, archives), { recursive: true });
  write(root, files);
  for (const [program = "", ...args] of commands) {
    console.log(`\n$ ${[program, ...args].join(" ")}`);
    const { status, error } = spawnSync(program, args, { cwd: root, stdio: "inherit" });
    if (status === 0) continue;
    const isBuilt = program === "git";
    if (!isBuilt) write(root, before);
    const why = error?.message ?? `it ended with ${status}`;
    const rest = isBuilt ? "Everything is built; do this and what follows by hand" : "The files are as they were";
    throw new ReleaseError(`"${[program, ...args].join(" ")}" failed: ${why}. ${rest}`);
  }
}

function write(root: string, files: ReadonlyMap<string, string>): void {
  for (const [path, text] of files) writeFileSync(join(root, path), text);
}

try {
  const { values } = parseArgs({
    options: { version: { type: "string" }, "dry-run": { type: "boolean", default: false } },
  });
  if (values.version === undefined) throw new ReleaseError("say which: npm run release -- --version 1.2.3 [--dry-run]");
  await release({ root: process.cwd(), version: values.version, isDryRun: values["dry-run"] });
} catch (error) {
  // What Node says about an unknown option is for the one who typed it, too.
  const isTheirs = error instanceof ReleaseError || (error instanceof TypeError && "code" in error);
  if (!isTheirs) throw error;
  process.stderr.write(`Cannot release: ${error.message}\n`);
  process.exitCode = 1;
}
