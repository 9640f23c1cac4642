import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { copyJson } from "./json.ts";
import { prune } from "./prune.ts";
import { readSchema } from "./schema-node.ts";

const schema = readSchema({
  type: "object",
  properties: {
    spec: {
      type: "object",
      properties: {
        a: { type: "integer" },
        list: { type: "array", items: { type: "object", properties: { b: { type: "string" } } } },
        map: { type: "object", additionalProperties: { type: "object", properties: { c: { type: "string" } } } },
        free: {
          type: "object",
          "x-kubernetes-preserve-unknown-fields": true,
          properties: { known: { type: "object", properties: { d: { type: "string" } } } },
        },
        template: { type: "object", "x-kubernetes-embedded-resource": true, properties: { spec: { type: "object" } } },
      },
    },
  },
});

function pruned(object: object): { readonly object: object; readonly unknown: readonly string[] } {
  return { unknown: prune(schema, object), object };
}

describe("Pruning", () => {
  it("removes what the schema does not know, and says where it was", () => {
    assert.deepEqual(
      pruned({
        kind: "X",
        metadata: { any: 1 },
        foo: 1,
        spec: { a: 1, bar: { deep: 1 }, list: [{ b: "x", y: 1 }, { z: 1 }] },
      }),
      {
        object: { kind: "X", metadata: { any: 1 }, spec: { a: 1, list: [{ b: "x" }, {}] } },
        unknown: ["foo", "spec.bar", "spec.list[0].y", "spec.list[1].z"],
      },
    );
  });

  it("looks into the values of maps", () => {
    assert.deepEqual(pruned({ spec: { map: { "x/y": { c: "1", e: 1 } } } }), {
      object: { spec: { map: { "x/y": { c: "1" } } } },
      unknown: ["spec.map.x/y.e"],
    });
  });

  it("keeps what is preserved, but prunes what is known within", () => {
    assert.deepEqual(pruned({ spec: { free: { other: { x: 1 }, known: { d: "1", e: 1 } } } }), {
      object: { spec: { free: { other: { x: 1 }, known: { d: "1" } } } },
      unknown: ["spec.free.known.e"],
    });
  });

  it("keeps the metadata of embedded resources", () => {
    const template = { apiVersion: "v1", kind: "Pod", metadata: { name: "x" }, spec: {} };
    assert.deepEqual(pruned({ spec: { template: { ...template, status: {} } } }), {
      object: { spec: { template } },
      unknown: ["spec.template.status"],
    });
  });

  it("takes a field called __proto__ or constructor for a field", () => {
    const object = JSON.parse('{"spec":{"__proto__":{"a":1},"constructor":1}}');
    assert.deepEqual(pruned(object), { object: { spec: {} }, unknown: ["spec.__proto__", "spec.constructor"] });
  });

  it("leaves nothing to prune", () => {
    fc.assert(
      fc.property(fc.dictionary(fc.constantFrom("spec", "foo"), fc.jsonValue()), (written) => {
        const object = copyJson(written);
        prune(schema, object);
        assert.deepEqual(prune(schema, object), []);
      }),
    );
  });
});
