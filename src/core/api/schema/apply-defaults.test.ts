import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { applyDefaults, dropStrayNulls } from "./apply-defaults.ts";
import { readSchema } from "./schema-node.ts";

const schema = readSchema({
  type: "object",
  properties: {
    flag: { type: "boolean", default: true },
    note: { type: "string", nullable: true, default: "none" },
    plain: { type: "string" },
    inner: { type: "object", default: {}, properties: { size: { type: "integer", default: 3 } } },
    list: { type: "array", items: { type: "object", properties: { port: { type: "integer", default: 80 } } } },
    map: {
      type: "object",
      additionalProperties: { type: "object", properties: { a: { type: "integer", default: 1 } } },
    },
  },
});

function complete(object: object): unknown {
  dropStrayNulls(schema, object);
  applyDefaults(schema, object);
  return object;
}

const defaults = { flag: true, note: "none", inner: { size: 3 } };

describe("Defaults", () => {
  it("fill in what is left out, also within defaults", () => {
    assert.deepEqual(complete({}), defaults);
  });

  it("leave what is there", () => {
    const object = { flag: false, note: "x", inner: { size: 4 } };
    assert.deepEqual(complete({ ...object }), object);
  });

  it("replace null where it is not allowed, and only there", () => {
    assert.deepEqual(complete({ flag: null, note: null, plain: null }), { ...defaults, note: null });
  });

  it("reach into lists and maps", () => {
    assert.deepEqual(complete({ list: [{}, { port: 1 }], map: { x: {}, y: null } }), {
      ...defaults,
      list: [{ port: 80 }, { port: 1 }],
      map: { x: { a: 1 } },
    });
  });

  it("are copied for each object", () => {
    const [one, other] = [complete({}), complete({})] as [typeof defaults, typeof defaults];
    assert.notEqual(one.inner, other.inner);
  });

  it("called __proto__ are fields like any other", () => {
    const odd = readSchema(
      JSON.parse('{"type":"object","properties":{"__proto__":{"type":"object","default":{"a":1}}}}'),
    );
    const object = {};
    applyDefaults(odd, object);
    assert.deepEqual([Object.keys(object), Object.getPrototypeOf(object)], [["__proto__"], Object.prototype]);
  });
});
