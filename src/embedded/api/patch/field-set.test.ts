import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { type FieldSet, intersect, isEmptySet, pathsOf, subtract, unite } from "./field-set.ts";

/** Sets by the paths that are in them. */
const fieldSet: fc.Arbitrary<FieldSet> = fc
  .array(fc.array(fc.constantFrom("f:a", "f:b", 'k:{"name":"x"}', "v:1"), { minLength: 1, maxLength: 3 }), {
    maxLength: 6,
  })
  .map((paths) =>
    paths.reduce<FieldSet>(
      (all, path) =>
        unite(
          all,
          path.reduceRight<FieldSet>((below, key) => ({ [key]: below }), {}),
        ),
      {},
    ),
  );
const paths = (fields: FieldSet) => new Set(pathsOf(fields));

describe("sets of fields", () => {
  it("are united, intersected and subtracted like sets of paths", () => {
    fc.assert(
      fc.property(fieldSet, fieldSet, (a, b) => {
        assert.deepEqual(paths(unite(a, b)), new Set([...paths(a), ...paths(b)]));
        assert.deepEqual(paths(intersect(a, b)), new Set([...paths(a)].filter((path) => paths(b).has(path))));
        assert.deepEqual(paths(subtract(a, b)), new Set([...paths(a)].filter((path) => !paths(b).has(path))));
        assert.ok(isEmptySet(subtract(a, a)));
      }),
    );
  });

  it("show a field, and what is below it, apart", () => {
    const fields = {
      "f:data": { ".": {}, "f:a": {} },
      "f:list": { 'k:{"name":"x","port":1}': { ".": {}, "f:b": {} }, 'v:"y"': {} },
    };
    assert.deepEqual(pathsOf(fields), [
      ".data",
      ".data.a",
      '.list[name="x",port=1]',
      '.list[="y"]',
      '.list[name="x",port=1].b',
    ]);
    assert.deepEqual(subtract(fields, { "f:data": { "f:a": {} }, "f:list": { 'v:"y"': {} } }), {
      "f:data": {},
      "f:list": { 'k:{"name":"x","port":1}': { ".": {}, "f:b": {} } },
    });
  });
});
