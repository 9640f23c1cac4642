import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { findGaps, findResolved, type Lockfile, mend } from "./mend-lockfile.ts";

const gappy: Lockfile = {
  packages: {
    "": {},
    "node_modules/tool": {
      version: "2.0.0",
      resolved: "https://registry.example/tool.tgz",
      dev: true,
      optionalDependencies: { "@tool/cli-linux-x64-musl": "2.0.0", "@tool/cli-darwin-arm64": "2.0.0" },
    },
    "node_modules/tool/node_modules/@tool/cli-darwin-arm64": { version: "2.0.0", optional: true },
  },
};

describe("mend-lockfile", () => {
  it("finds the platform package that is locked nowhere above its parent", () => {
    assert.deepEqual(
      findGaps(gappy),
      new Map([
        [
          "node_modules/@tool/cli-linux-x64-musl",
          { version: "2.0.0", os: ["linux"], cpu: ["x64"], libc: ["musl"], dev: true, optional: true },
        ],
      ]),
    );
  });

  it("finds entries that name a registry", () => {
    assert.deepEqual(findResolved(gappy), ["node_modules/tool"]);
  });

  it("leaves nothing to mend", () => {
    const mended = mend(gappy);
    assert.deepEqual([findGaps(mended).size, findResolved(mended).length], [0, 0]);
    assert.deepEqual(Object.keys(mended.packages), [
      "",
      "node_modules/@tool/cli-linux-x64-musl",
      "node_modules/tool",
      "node_modules/tool/node_modules/@tool/cli-darwin-arm64",
    ]);
  });

  it("refuses a name that does not tell its platform", () => {
    const lockfile = { packages: { "node_modules/tool": { optionalDependencies: { fsevents: "1.0.0" } } } };
    assert.throws(() => findGaps(lockfile), /"fsevents" does not tell its platform/);
  });
});
