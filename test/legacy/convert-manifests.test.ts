import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { describeProblem } from "../../src/core/api/problem.ts";
import { validateCustomResource } from "../../src/core/api/validate-custom-resource.ts";
import { validateNodePool } from "../../src/core/api/validate-node-pool.ts";
import { celRules } from "../../src/embedded/cel/cel-rules.ts";
import { matchesPattern } from "../../src/embedded/cel/re2.ts";
import { convertFile, expectedOf, manifestNames } from "./convert-folder.ts";

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
  }
});
