import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { referenceFolder, referencePages } from "./document-reference.ts";

const renewal = "renew it: npx node scripts/document-reference.ts";

describe("docs/reference", () => {
  for (const [name, write] of Object.entries(referencePages)) {
    it(`has ${name} as the source says`, () => {
      assert.equal(readFileSync(join(referenceFolder, name), "utf8"), write(), renewal);
    });
  }

  it("has no other page", () => {
    assert.deepEqual(readdirSync(referenceFolder).sort(), Object.keys(referencePages).sort());
  });
});
