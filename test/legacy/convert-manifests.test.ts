import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { convertManifests } from "../../src/core/api/legacy/convert-manifests.ts";
import { describeProblem } from "../../src/core/api/problem.ts";
import { validateCustomResource } from "../../src/core/api/validate-custom-resource.ts";
import { validateNodePool } from "../../src/core/api/validate-node-pool.ts";
import { celRules } from "../../src/embedded/cel/cel-rules.ts";
import { matchesPattern } from "../../src/embedded/cel/re2.ts";
import { convertFile, expectedOf, manifestNames, readManifests } from "./convert-folder.ts";

const tools = { matches: matchesPattern, rules: celRules };

describe("manifests as articles print them", () => {
  for (const name of manifestNames) {
    it(`of ${name} have the v1 equivalent and the notes that are expected, and an API server takes them`, () => {
      const { objects, notes, problems } = convertFile(name);
      const lines = notes.map((note) => `${note.kind} ${describeProblem(note)}`);
      assert.deepEqual(problems, []);
      assert.deepEqual({ objects, notes: lines }, expectedOf(name));
      for (const object of objects) {
        assert.deepEqual(validateCustomResource(object, tools), []);
        if ("kind" in object && object.kind === "NodePool") assert.deepEqual(validateNodePool(object).problems, []);
      }
    });

    it(`of ${name} may have anything anywhere, and it is a problem or an object that can be judged`, () => {
      for (const wires of garbled(readManifests(name))) {
        const { objects, problems } = convertManifests(wires, { clusterName: "demo" });
        for (const { object, message } of problems) assert.ok(object !== "" && message !== "");
        for (const object of objects) validateCustomResource(object, tools);
      }
    });
  }
});

const garbage: readonly unknown[] = [
  null,
  7,
  -1.5,
  true,
  "",
  "no\u0000pe",
  [],
  [null],
  {},
  { toString: 7 },
  [{ key: {} }],
  "x".repeat(300),
];

/** The same, with each part in turn replaced by garbage. */
function* garbled(value: unknown): Generator<readonly unknown[]> {
  for (const part of replaced(value)) if (Array.isArray(part)) yield part;
}

function* replaced(value: unknown): Generator<unknown> {
  yield* garbage;
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) for (const part of replaced(item)) yield value.with(index, part);
  } else if (typeof value === "object" && value !== null) {
    for (const [key, item] of Object.entries(value)) for (const part of replaced(item)) yield { ...value, [key]: part };
  }
}
