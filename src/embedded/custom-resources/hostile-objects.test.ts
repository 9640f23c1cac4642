import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import type { JsonObject } from "../../core/api/schema/json.ts";
import type { Draft, KubeObject } from "../kube-object.ts";
import { customResourceOf } from "./custom-resource.ts";

const schema = {
  type: "object",
  properties: {
    spec: {
      type: "object",
      "x-kubernetes-validations": [{ rule: "!has(self.list) || self.list.all(item, item.a != 'x')", message: "no x" }],
      properties: {
        text: { type: "string", pattern: "^(a+)+$", format: "email" },
        list: {
          type: "array",
          "x-kubernetes-list-type": "map",
          "x-kubernetes-list-map-keys": ["a"],
          items: {
            type: "object",
            required: ["a"],
            properties: { a: { type: "string" }, n: { type: "integer", default: 1 } },
          },
        },
        set: { type: "array", "x-kubernetes-list-type": "set", items: { type: "string" } },
        any: { "x-kubernetes-preserve-unknown-fields": true },
        map: { type: "object", additionalProperties: { type: "string" } },
        share: { "x-kubernetes-int-or-string": true },
        one: {
          type: "object",
          properties: { x: { type: "string" } },
          oneOf: [{ required: ["x"] }, { maxProperties: 0 }],
        },
      },
    },
  },
};

const { definition, coerce, prune } = customResourceOf(
  {
    spec: {
      group: "example.com",
      scope: "Cluster",
      names: { plural: "things", singular: "thing", kind: "Thing", listKind: "ThingList" },
      versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: schema as never } }],
    },
  },
  "v1",
)!;

/** All that happens to an object on its way in; the number of complaints. */
function take(spec: unknown, old?: unknown): number {
  const draft = { apiVersion: "example.com/v1", kind: "Thing", metadata: { name: "it" }, spec } as unknown as Draft;
  coerce(draft as JsonObject);
  prune(draft);
  definition.setDefaults?.(draft);
  const before = { ...draft, spec: old ?? spec } as unknown as KubeObject;
  const created = definition.validate?.(draft).length ?? 0;
  definition.validateUpdate?.(draft, before);
  definition.validateStatus?.(draft, before);
  return created;
}

function nest(depth: number, wrap: (value: unknown) => unknown): unknown {
  let value: unknown = 1;
  for (let level = 0; level < depth; level++) value = wrap(value);
  return value;
}

describe("No custom object is too odd:", () => {
  it("any JSON at all", () => {
    const names = fc.constantFrom(
      "text",
      "list",
      "set",
      "any",
      "map",
      "share",
      "one",
      "a",
      "n",
      "x",
      "__proto__",
      "constructor",
    );
    const { tree } = fc.letrec((tie) => ({
      tree: fc.oneof({ depthSize: "small" }, fc.jsonValue(), fc.array(tie("tree")), fc.dictionary(names, tie("tree"))),
    }));
    fc.assert(fc.property(tree, tree, (spec, old) => take(JSON.parse(JSON.stringify(spec)), old) >= 0));
  });

  it("nesting deeper than the stack", () => {
    const lists = nest(20_000, (value) => [value]);
    const objects = nest(20_000, (value) => ({ a: value }));
    assert.ok(take(lists) > 0);
    assert.ok(
      take({ any: objects, text: lists, map: { a: objects }, set: [lists, lists], list: lists, share: objects }) > 0,
    );
  });

  it("twenty thousand items, all of them wrong", () => {
    const many = Array.from({ length: 20_000 }, (_, index) => index);
    assert.equal(take({ set: many, list: many.map((a) => ({ a: String(a) })) }), 20_001);
  });

  it("the same item twenty thousand times", () => {
    assert.equal(take({ set: new Array(20_000).fill("a"), list: new Array(20_000).fill({ a: "b" }) }), 2);
  });

  it("a text that a backtracking matcher would not finish", () => {
    assert.equal(take({ text: `${"a".repeat(50_000)}!` }), 3);
  });

  it("numbers that no integer holds", () => {
    assert.equal(
      take({
        share: 1e300,
        list: [
          { a: "b", n: 1e300 },
          { a: "c", n: 0.5 },
        ],
      }),
      6,
    );
  });

  it("fields named after what JavaScript objects have", () => {
    const spec = JSON.parse(
      '{"map":{"__proto__":"a","constructor":"b","toString":"c"},"any":{"__proto__":{"polluted":1}}}',
    );
    assert.equal(take(spec), 0);
    assert.equal(({} as { polluted?: unknown }).polluted, undefined);
  });
});
