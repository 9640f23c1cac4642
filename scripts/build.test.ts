import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, it } from "node:test";
import { build } from "./build.ts";

describe("build", () => {
  let root: string;
  const source = () => join(root, "src");
  const target = () => join(root, "dist");

  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), "build-"));
    write("src/main.ts", "");
  });

  afterEach(() => {
    rmSync(root, { recursive: true });
  });

  function write(path: string, text: string): void {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }

  function built(path: string): string {
    build(source(), target());
    return readFileSync(join(target(), path), "utf8");
  }

  it("leaves every character of the program where it was", () => {
    write("src/add.ts", "export function add(\n  a: number,\n  b: number,\n): number {\n  return a + b;\n}\n");
    assert.equal(
      built("add.js"),
      "export function add(\n  a        ,\n  b        ,\n)         {\n  return a + b;\n}\n",
    );
  });

  it("names what was built in imports and in the files of worker threads", () => {
    write("src/a/b.ts", "");
    write(
      "src/main.ts",
      `import "./a/b.ts";\nawait import("./a/b.ts");\nnew Worker(new URL("./a/b.ts", import.meta.url));\n`,
    );
    assert.equal(
      built("main.js"),
      `import "./a/b.js";\nawait import("./a/b.js");\nnew Worker(new URL("./a/b.js", import.meta.url));\n`,
    );
  });

  it("refuses to name what is not there", () => {
    write("src/main.ts", `import "./gone.ts";`);
    assert.throws(() => build(source(), target()), /main\.ts: it names \.\/gone\.ts, which is not there$/);
  });

  it("takes data along, and nothing that is for tests", () => {
    write("src/main.test.ts", "");
    write("src/data/prices.json", "{}");
    write("src/data/recorded.jsonl", "{}");
    build(source(), target());
    assert.deepEqual(readdirSync(target(), { recursive: true }).sort(), ["data", "data/prices.json", "main.js"]);
  });

  it("removes what an earlier build left", () => {
    write("dist/old.js", "");
    build(source(), target());
    assert.deepEqual(readdirSync(target()), ["main.js"]);
  });
});
