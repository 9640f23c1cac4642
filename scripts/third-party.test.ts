import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it } from "node:test";
import { acceptedLicences, describeThirdParties, findBundled } from "./third-party.ts";

describe("third parties", () => {
  it("are found wherever npm puts them, with the texts of their licences", (test) => {
    const modules = mkdtempSync(join(tmpdir(), "third-party-"));
    test.after(() => rmSync(modules, { recursive: true }));
    for (const place of ["@scope/one", "two", "two/node_modules/three", ".cache"]) {
      mkdirSync(join(modules, place), { recursive: true });
      writeFileSync(join(modules, place, "LICENSE.md"), "");
      const manifest = { name: place.replace(/.*modules\//, ""), version: "1.0.0", license: "MIT" };
      writeFileSync(join(modules, place, "package.json"), JSON.stringify(manifest));
    }
    assert.deepEqual(findBundled(modules), [
      { name: "@scope/one", version: "1.0.0", license: "MIT", texts: ["@scope/one/LICENSE.md"] },
      { name: "three", version: "1.0.0", license: "MIT", texts: ["two/node_modules/three/LICENSE.md"] },
      { name: "two", version: "1.0.0", license: "MIT", texts: ["two/LICENSE.md"] },
    ]);
  });

  it("are refused when nobody has read what their licence asks for", () => {
    const three = { name: "three", version: "1.0.0", license: "GPL-3.0", texts: [] };
    assert.throws(() => describeThirdParties([three]), /^Error: Cannot bundle three \(GPL-3\.0\)/);
  });

  it("all have a licence that is accepted", () => {
    const text = readFileSync(join(import.meta.dirname, "../package-lock.json"), "utf8");
    const { packages } = JSON.parse(text) as { packages: Record<string, { dev?: boolean; license?: string }> };
    const others = Object.entries(packages).filter(
      ([, { dev = false, license = "" }]) => !dev && !acceptedLicences.has(license),
    );
    assert.deepEqual(others, []);
  });
});
