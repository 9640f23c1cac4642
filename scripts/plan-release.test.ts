import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { planRelease, ReleaseError } from "./plan-release.ts";

const repository = new Map([
  ["package.json", `{\n  "name": "karpenter-ts",\n  "version": "0.2.0"\n}\n`],
  [
    "package-lock.json",
    `{\n  "version": "0.2.0",\n  "packages": {\n    "": {\n      "version": "0.2.0"\n    }\n  }\n}\n`,
  ],
  ["charts/karpenter/Chart.yaml", "name: karpenter\nversion: 0.2.0\nappVersion: 0.2.0\n"],
  ["charts/karpenter-crd/Chart.yaml", "name: karpenter-crd\nversion: 0.1.0\nappVersion: 0.1.0\n"],
  ["charts/karpenter/values.yaml", "controller:\n  image:\n    repository: example.com/karpenter\n"],
  ["CHANGELOG.md", "# Changelog\n\n## [Unreleased]\n\n### Added\n\n- Wings.\n\n## [0.2.0] - 2026-01-01\n\n- Feet.\n"],
]);

function plan(version: string, changes: Readonly<Record<string, string>> = {}) {
  const read = (path: string) => changes[path] ?? repository.get(path) ?? assert.fail(`${path} is not there`);
  return planRelease({ version, date: "2026-02-03", read });
}

function refusal(version: string, changes: Readonly<Record<string, string>> = {}): string {
  try {
    plan(version, changes);
  } catch (error) {
    if (error instanceof ReleaseError) return error.message;
    throw error;
  }
  return assert.fail("It is not refused");
}

describe("planRelease", () => {
  it("gives package, lock file and charts one version, and what is unreleased its heading", () => {
    assert.deepEqual(plan("0.10.0"), {
      files: new Map([
        ["package.json", `{\n  "name": "karpenter-ts",\n  "version": "0.10.0"\n}\n`],
        [
          "package-lock.json",
          `{\n  "version": "0.10.0",\n  "packages": {\n    "": {\n      "version": "0.10.0"\n    }\n  }\n}\n`,
        ],
        ["charts/karpenter/Chart.yaml", "name: karpenter\nversion: 0.10.0\nappVersion: 0.10.0\n"],
        ["charts/karpenter-crd/Chart.yaml", "name: karpenter-crd\nversion: 0.10.0\nappVersion: 0.10.0\n"],
        [
          "CHANGELOG.md",
          "# Changelog\n\n## [Unreleased]\n\n## [0.10.0] - 2026-02-03\n\n### Added\n\n- Wings.\n\n## [0.2.0] - 2026-01-01\n\n- Feet.\n",
        ],
      ]),
      notes: "### Added\n\n- Wings.",
      image: "example.com/karpenter:0.10.0",
    });
  });

  it("takes the version of package.json as long as it is not released", () => {
    const changelog = "## [Unreleased]\n\n- Wings.\n";
    assert.equal(plan("0.2.0", { "CHANGELOG.md": changelog }).notes, "- Wings.");
  });

  it("refuses a version that is not higher than the last", () => {
    assert.equal(refusal("0.2.0"), "0.2.0 is not higher than 0.2.0, which CHANGELOG.md says is released");
    assert.equal(refusal("0.1.9"), "0.1.9 is not higher than 0.2.0, which CHANGELOG.md says is released");
  });

  it("refuses a version below that of package.json", () => {
    const manifest = `{"version": "0.3.0"}`;
    assert.equal(refusal("0.2.1", { "package.json": manifest }), "0.2.1 is lower than 0.3.0, which package.json names");
  });

  it("refuses what is no version", () => {
    for (const text of ["v1.2.3", "1.2", "01.2.3", "1.2.3; rm -rf .", ""]) {
      assert.match(refusal(text), /is not a version: write three numbers/);
    }
  });

  it("refuses to release nothing", () => {
    const changelog = "## [Unreleased]\n\n### Added\n\n## [0.2.0] - 2026-01-01\n\n- Feet.\n";
    assert.match(refusal("0.3.0", { "CHANGELOG.md": changelog }), /^CHANGELOG\.md has nothing under Unreleased/);
    assert.match(refusal("0.3.0", { "CHANGELOG.md": "# Changelog\n" }), /^CHANGELOG\.md has no section/);
  });

  it("works on the files of this repository, and changes nothing in them but versions", () => {
    const root = join(import.meta.dirname, "..");
    // Just after a release there is nothing under Unreleased.
    const read = (path: string) =>
      readFileSync(join(root, path), "utf8").replace("## [Unreleased]\n", "## [Unreleased]\n\n- Wings.\n");
    const { files } = planRelease({ version: "999.0.0", date: "2026-02-03", read });
    for (const [path, text] of files) {
      const lines = read(path).split("\n");
      const others = text.split("\n").filter((line) => !lines.includes(line));
      assert.ok(
        others.every((line) => line.includes("999.0.0")),
        `${path}: ${others.join("\n")}`,
      );
    }
  });
});
