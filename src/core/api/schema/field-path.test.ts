import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { resolveFieldPath } from "./field-path.ts";
import { readSchema } from "./schema-node.ts";

const schema = readSchema({
  type: "object",
  properties: {
    spec: { type: "object", properties: { "a-b": { type: "string" } } },
    map: { type: "object", additionalProperties: { type: "integer" } },
  },
});

function resolve(text: string): string {
  const found = resolveFieldPath(text, schema);
  return "error" in found ? found.error : `${found.path}: ${found.schema?.type}`;
}

describe("A field path", () => {
  const cases: readonly (readonly [text: string, meaning: string])[] = [
    [".spec", "spec: object"],
    [".spec.a-b", "spec.a-b: string"],
    [".spec['a-b']", "spec.a-b: string"],
    [".map.x", "map[x]: integer"],
    [".map['x.y/z']", "map[x.y/z]: integer"],
    [".map['it\\'s']", "map[it's]: integer"],
    ["spec", "expected [ or . but got: spec"],
    [".nope", "does not refer to a valid field"],
    [".spec.a-b.c", "does not refer to a valid field"],
    [".constructor", "does not refer to a valid field"],
    [".", "unexpected end of JSON path"],
    [".map[x]", "expected single quoted string but got x"],
    [".map['x'", "unexpected end of JSON path"],
    [".map['\\q']", "invalid string literal: invalid escape char \\q"],
  ];
  for (const [text, meaning] of cases) {
    it(`${text} means ${meaning}`, () => {
      assert.equal(resolve(text), meaning);
    });
  }
});
