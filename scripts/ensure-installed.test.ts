import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, it } from "node:test";

const script = join(import.meta.dirname, "ensure-installed.mjs");

describe("ensure-installed", () => {
  let root: string;

  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), "ensure-installed-"));
    mkdirSync(join(root, "scripts"));
    cpSync(script, join(root, "scripts", "ensure-installed.mjs"));
    writeFileSync(join(root, "package.json"), JSON.stringify({ devDependencies: { tool: "1.0.0" } }));
    writeFileSync(join(root, "package-lock.json"), "{}");
    useNpm(`require("node:fs").appendFileSync("calls", process.argv[2] + "\\n")`);
  });

  afterEach(() => {
    rmSync(root, { recursive: true });
  });

  function useNpm(source: string): void {
    writeFileSync(join(root, "npm-cli.cjs"), source);
  }

  function ensure(...args: string[]): { status: number | null; message: string } {
    const { status, stderr } = spawnSync(process.execPath, [join(root, "scripts", "ensure-installed.mjs"), ...args], {
      encoding: "utf8",
      env: { ...process.env, npm_execpath: join(root, "npm-cli.cjs"), npm_node_execpath: process.execPath },
    });
    return { status, message: stderr.trim().split("\n").at(-1) ?? "" };
  }

  function calls(): string {
    return readFileSync(join(root, "calls"), "utf8");
  }

  it("installs once", () => {
    assert.match(ensure().message, /^Installing dependencies \(npm ci, once\) \.\.\. done in \d+ s$/);
    assert.deepEqual(ensure(), { status: 0, message: "" });
    assert.equal(calls(), "ci\n");
  });

  it("installs again when the lock file has changed", () => {
    ensure();
    writeFileSync(join(root, "package-lock.json"), `{"packages":{}}`);
    ensure();
    assert.equal(calls(), "ci\nci\n");
  });

  it("runs npm install without a lock file", () => {
    rmSync(join(root, "package-lock.json"));
    ensure();
    assert.equal(calls(), "install\n");
  });

  it("accepts a whole install by hand", () => {
    mkdirSync(join(root, "node_modules", "tool"), { recursive: true });
    ensure("--stamp");
    ensure();
    assert.throws(calls, { code: "ENOENT" });
  });

  it("does not accept an install by hand that lacks the tools", () => {
    ensure("--stamp");
    ensure();
    assert.equal(calls(), "ci\n");
  });

  for (const [output, next] of [
    ["npm error code ENOTFOUND", /registry cannot be reached.*run the same command again/],
    ["npm error code EUSAGE", /Run "npm install", then "node scripts\/mend-lockfile.ts"/],
    ["npm error code EWHATEVER", /"npm ci" failed, see above/],
  ] as const) {
    it(`says what to do next after "${output}", and tries again`, () => {
      useNpm(`console.error(${JSON.stringify(output)}); process.exit(1)`);
      for (const _ of [1, 2]) {
        const { status, message } = ensure();
        assert.equal(status, 1);
        assert.match(message, next);
      }
    });
  }
});
