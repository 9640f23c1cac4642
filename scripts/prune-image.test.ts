import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, it } from "node:test";
import { pruneImage } from "./prune-image.ts";

describe("pruneImage", () => {
  let modules: string;

  beforeEach(() => {
    modules = mkdtempSync(join(tmpdir(), "prune-image-"));
  });

  afterEach(() => {
    rmSync(modules, { recursive: true });
  });

  /** What is left of these files. */
  function left(...paths: readonly string[]): string[] {
    for (const path of paths) {
      mkdirSync(dirname(join(modules, path)), { recursive: true });
      writeFileSync(join(modules, path), "{}");
    }
    pruneImage(modules);
    return readdirSync(modules, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name).slice(modules.length + 1))
      .sort();
  }

  it("keeps what Node loads", () => {
    const needed = ["@a/b/dist-cjs/index.js", "@a/b/package.json", "c/lib/data.json", "c/lib/index.mjs"];
    assert.deepEqual(left(...needed), needed);
  });

  it("removes types, source maps and documents, but no licence", () => {
    assert.deepEqual(
      left("a/LICENSE.md", "a/NOTICE", "a/README.md", "a/index.d.ts", "a/index.js", "a/index.js.map", "a/lib/x.d.mts"),
      ["a/LICENSE.md", "a/NOTICE", "a/index.js"],
    );
  });

  it("removes other builds and tests of packages", () => {
    assert.deepEqual(
      left("a/dist-cjs/index.js", "a/dist-es/index.js", "a/package.json", "a/test/x.js", "b/dist-es/index.js"),
      ["a/dist-cjs/index.js", "a/package.json", "b/dist-es/index.js"],
    );
  });

  it("leaves a folder within the program alone, whatever its name", () => {
    assert.deepEqual(left("a/lib/test/x.js", "a/package.json"), ["a/lib/test/x.js", "a/package.json"]);
  });
});
