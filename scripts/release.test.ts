import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";

const script = join(import.meta.dirname, "release.ts");
const files = ["package.json", "package-lock.json", "CHANGELOG.md", "charts/karpenter", "charts/karpenter-crd"];
const hasGit = spawnSync("git", ["--version"]).status === 0;

describe("npm run release", { skip: hasGit ? false : "there is no git" }, () => {
  let root: string;

  before(() => {
    root = mkdtempSync(join(tmpdir(), "release-"));
    for (const file of files) cpSync(join(import.meta.dirname, "..", file), join(root, file), { recursive: true });
    writeFileSync(join(root, "CHANGELOG.md"), "# Changelog\n\n## [Unreleased]\n\n- Wings.\n");
    git("init", "--quiet");
    git("add", ".");
    git("commit", "--quiet", "--message", "Begin");
  });

  after(() => {
    rmSync(root, { recursive: true });
  });

  function git(...args: readonly string[]): string {
    const identity = ["-c", "user.name=A", "-c", "user.email=a@example.com", "-c", "commit.gpgsign=false"];
    const { status, stdout, stderr } = spawnSync("git", [...identity, ...args], { cwd: root, encoding: "utf8" });
    assert.equal(status, 0, stderr);
    return stdout;
  }

  function release(...args: readonly string[]) {
    const { status, stdout, stderr } = spawnSync(process.execPath, [script, ...args], { cwd: root, encoding: "utf8" });
    return { status, stdout, stderr };
  }

  it("prints every step of a dry run, and changes nothing", () => {
    const { status, stdout, stderr } = release("--version", "12.3.4", "--dry-run");
    assert.deepEqual({ status, stderr }, { status: 0, stderr: "" });
    assert.equal(
      stdout,
      `Release 12.3.4, with what CHANGELOG.md has under Unreleased:

- Wings.

would write package.json
would write package-lock.json
would write charts/karpenter/Chart.yaml
would write charts/karpenter-crd/Chart.yaml
would write CHANGELOG.md
would run   node scripts/ensure-installed.mjs --stamp
would run   npm pack --pack-destination release
would run   helm package charts/karpenter --destination release
would run   helm package charts/karpenter-crd --destination release
would run   docker build --tag ${imageRepository()}:12.3.4 .
would run   git commit --message Release 12.3.4 -- package.json package-lock.json charts/karpenter/Chart.yaml charts/karpenter-crd/Chart.yaml CHANGELOG.md
would run   git tag --annotate v12.3.4 --message Release 12.3.4

A dry run: nothing was changed.
`,
    );
    assert.equal(git("status", "--porcelain"), "");
    assert.ok(!readdirSync(root).includes("release"));
  });

  it("refuses a version that has a tag", () => {
    git("tag", "v13.0.0");
    assert.equal(release("--version", "13.0.0").stderr, "Cannot release: there is a tag v13.0.0 already\n");
  });

  it("refuses a version that is none, and options that it does not know", () => {
    assert.match(release("--version", "new").stderr, /^Cannot release: "new" is not a version/);
    assert.match(release().stderr, /^Cannot release: say which/);
    assert.match(release("--versoin", "1.2.3").stderr, /^Cannot release: Unknown option '--versoin'/);
  });

  it("refuses a tree with changes", () => {
    writeFileSync(join(root, "new"), "");
    const { status, stderr } = release("--version", "12.3.4", "--dry-run");
    rmSync(join(root, "new"));
    assert.equal(status, 1);
    assert.match(stderr, /^Cannot release: the tree has changes that no commit has\. .*\n\?\? new$/m);
  });

  function imageRepository(): string | undefined {
    const values = readFileSync(join(root, "charts/karpenter/values.yaml"), "utf8");
    return /^ {4}repository: (.*)$/m.exec(values)?.[1];
  }
});
