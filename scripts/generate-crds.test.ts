import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { it } from "node:test";
import { crdFolder, renderCrds } from "./generate-crds.ts";

it('the files of the chart are what "npm run crds" writes', () => {
  const files = readdirSync(crdFolder)
    .sort()
    .map((name): [string, string] => [name, readFileSync(join(crdFolder, name), "utf8")]);
  assert.deepEqual(files, [...renderCrds()].sort());
});
