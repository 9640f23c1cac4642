import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { it } from "node:test";
import { crdFolders, renderCrds } from "./generate-crds.ts";

for (const folder of crdFolders) {
  it(`the files of ${basename(dirname(folder))} are what "npm run crds" writes`, () => {
    const files = readdirSync(folder)
      .sort()
      .map((name): [string, string] => [name, readFileSync(join(folder, name), "utf8")]);
    assert.deepEqual(files, [...renderCrds()].sort());
  });
}

it("helm takes no part of a definition for a template", () => {
  assert.deepEqual(
    [...renderCrds()].filter(([, text]) => text.includes("{{")).map(([name]) => name),
    [],
  );
});
