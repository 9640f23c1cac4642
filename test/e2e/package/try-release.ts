import { chmodSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Findings } from "../chart/findings.ts";
import { mustRun } from "./run.ts";

const root = join(import.meta.dirname, "../../..");
const version = "99.0.0";

/** Makes a release in a clone of what is committed. The container engine only writes down what it is asked for. */
export async function tryRelease(folder: string, findings: Findings): Promise<void> {
  const clone = join(folder, "clone");
  await mustRun(["git", "clone", "--quiet", "--no-hardlinks", root, clone], { folder });
  // A folder of its own, because the release notes there what is installed.
  mkdirSync(join(clone, "node_modules"));
  for (const name of readdirSync(join(root, "node_modules")).filter((entry) => entry !== ".installed")) {
    symlinkSync(join(root, "node_modules", name), join(clone, "node_modules", name));
  }
  const asked = join(folder, "asked");
  const programs = join(folder, "programs");
  mkdirSync(programs);
  writeFileSync(join(programs, "docker"), `#!/bin/sh\necho "$@" >> '${asked}'\n`);
  chmodSync(join(programs, "docker"), 0o755);
  const environment = {
    ...process.env,
    PATH: `${programs}:${join(clone, "node_modules/.bin")}:${process.env.PATH}`,
    GIT_AUTHOR_NAME: "A",
    GIT_AUTHOR_EMAIL: "a@example.com",
    GIT_COMMITTER_NAME: "A",
    GIT_COMMITTER_EMAIL: "a@example.com",
  };
  const run = (...words: string[]) => mustRun(words, { folder: clone, environment });
  // What is under Unreleased may have been released just now.
  const changelog = join(clone, "CHANGELOG.md");
  const text = readFileSync(changelog, "utf8");
  writeFileSync(changelog, text.replace("## [Unreleased]\n", "## [Unreleased]\n\n- Wings.\n"));
  await run("git", "commit", "--quiet", "--all", "--message", "Grow wings");
  const before = await run("git", "rev-parse", "HEAD");

  await run(process.execPath, "scripts/release.ts", "--version", version, "--dry-run");
  const untouched = (await run("git", "status", "--porcelain")) + (await run("git", "rev-parse", "HEAD"));
  findings.same(untouched, before, "the clone after a dry run");

  await run(process.execPath, "scripts/release.ts", "--version", version);
  findings.same(
    readdirSync(join(clone, "release")).sort(),
    [`karpenter-${version}.tgz`, `karpenter-crd-${version}.tgz`, `karpenter-ts-${version}.tgz`],
    "what was made",
  );
  findings.check(
    new RegExp(`^build --tag \\S+:${version} \\.\n$`).test(readFileSync(asked, "utf8")),
    `the container engine was asked for: ${readFileSync(asked, "utf8")}`,
  );
  findings.same(await run("git", "status", "--porcelain"), "", "what is uncommitted after the release");
  findings.same(await run("git", "describe"), `v${version}\n`, "the tag");
  const names = (await run("git", "show", "--name-only", "--format=")).trim().split("\n").sort();
  const files = ["CHANGELOG.md", "charts/karpenter-crd/Chart.yaml", "charts/karpenter/Chart.yaml"];
  findings.same(names, [...files, "package-lock.json", "package.json"], "what the release's commit changes");
}
