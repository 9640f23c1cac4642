import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

// All tests share one process, in which such a hook outside of every `describe` runs for each test of every file.
test("no test file has hooks for each test outside of a describe", () => {
  const root = join(import.meta.dirname, "..");
  const files = globSync("{src,test,scripts,bench}/**/*.test.ts", { cwd: root });
  const offenders = files.filter((file) => /^(beforeEach|afterEach)\(/m.test(readFileSync(join(root, file), "utf8")));
  assert.ok(files.length > 0);
  assert.deepEqual(offenders, []);
});
