import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it } from "node:test";
import { defaultCatalogue } from "./default-catalogue.ts";
import { loadInstanceTypes } from "./load-instance-types.ts";

function loadText(text: string): readonly string[] {
  const folder = mkdtempSync(join(tmpdir(), "karpenter-instance-types-"));
  try {
    const file = join(folder, "types.json");
    writeFileSync(file, text);
    return loadInstanceTypes({ file, builtIn: "generic" }).map(({ name }) => name);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

describe("loadInstanceTypes", () => {
  it("has 144 generic types", () => {
    assert.equal(loadInstanceTypes({ builtIn: "generic" }).length, 144);
  });

  it("has 853 types of AWS, for the platforms of Kubernetes", () => {
    const types = loadInstanceTypes({ builtIn: "aws" });
    assert.equal(types.length, 853);
    const platforms = types.flatMap(({ requirements }) => [...(requirements.get("kubernetes.io/arch")?.values ?? [])]);
    assert.deepEqual([...new Set(platforms)].sort(), ["amd64", "arm64"]);
  });

  it("takes a file of one's own in place of what is built in", () => {
    const [first] = defaultCatalogue();
    assert.deepEqual(loadText(JSON.stringify([first])), ["c-1x-amd64-linux"]);
  });

  it("names the file and every entry with something wrong", () => {
    const broken = JSON.stringify([{ ...defaultCatalogue()[0], name: "x", architecture: 5 }, { name: "y" }]);
    assert.throws(
      () => loadText(broken),
      /^Error: Cannot use the instance types in ".*types\.json":\n.*"x": arch.*\n.*"y"/,
    );
    assert.throws(() => loadText("[]"), /types\.json":\n {2}There are none\./);
    assert.throws(() => loadText("{}"), /types\.json":\n {2}Catalogue of instance types must be a list/);
    assert.throws(() => loadText("["), /types\.json": it is not JSON/);
    assert.throws(
      () => loadInstanceTypes({ file: "/nowhere/types.json", builtIn: "aws" }),
      /"\/nowhere\/types\.json": ENOENT/,
    );
  });
});
