import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, before, describe, it } from "node:test";

const repository = join(import.meta.dirname, "..", "..");
const biome = join(repository, "node_modules", ".bin", "biome");

const impure = [
  "export const a = Date.now();",
  "export const a = Date.now;",
  "export const a = new Date();",
  "export const a = Date();",
  "export const a = Math.random();",
  "export const a = Math.random;",
  "export const a = Promise.resolve(1);",
  "export type A = Promise<number>;",
  "export async function a(): Promise<void> {}",
  "export const a = async () => 1;",
  "export class A {\n  async a() {}\n}",
  "export const a = { async b() {} };",
  "console.log(1);",
  "export const a = process.env;",
  "setTimeout(() => {}, 1);",
  "export const a = performance.now();",
  'export const a = fetch("x");',
  "export const a = globalThis;",
];

const pure = [
  "export const a = (now: number) => new Date(now);",
  "export const a = Math.max(1, 2);",
  "export function a(async: boolean): boolean {\n  return async;\n}",
];

describe("the lint rules of src/core", () => {
  let root: string;
  let complaints: Set<string>;

  before(() => {
    root = mkdtempSync(join(tmpdir(), "pure-core-"));
    for (const file of ["biome.json", "scripts/lint/pure-core.grit"]) cpSync(join(repository, file), join(root, file));
    write("src/core/model", impure, "impure");
    write("src/core/model", pure, "pure");
    write("src/runtime", impure, "outside");
    spawnSync("git", ["init", "-q"], { cwd: root });
    const { stdout } = spawnSync(biome, ["lint", "--reporter=json", "--max-diagnostics=none"], {
      cwd: root,
      encoding: "utf8",
    });
    const { diagnostics } = JSON.parse(stdout) as { diagnostics: { category: string; location: { path: string } }[] };
    complaints = new Set(
      diagnostics
        .filter(({ category }) => category === "plugin" || category === "lint/style/noRestrictedGlobals")
        .map(({ location }) => location.path),
    );
  });

  after(() => {
    rmSync(root, { recursive: true });
  });

  function write(folder: string, sources: string[], name: string): void {
    for (const [i, source] of sources.entries()) {
      const path = join(root, folder, `${name}-${i}.ts`);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, `${source}\n`);
    }
  }

  for (const [i, source] of impure.entries()) {
    it(`refuse: ${source}`, () => {
      assert.ok(complaints.has(`src/core/model/impure-${i}.ts`));
    });
  }

  for (const [i, source] of pure.entries()) {
    it(`let pass: ${source}`, () => {
      assert.ok(!complaints.has(`src/core/model/pure-${i}.ts`));
    });
  }

  it("leave the rest of src alone", () => {
    assert.deepEqual(
      [...complaints].filter((path) => path.startsWith("src/runtime")),
      [],
    );
  });
});
