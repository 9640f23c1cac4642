import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { describeWithoutField, type FieldError, reasonOf } from "../../core/api/field-error.ts";
import type { JsonObject } from "../../core/api/schema/json.ts";
import type { Draft, KubeObject } from "../kube-object.ts";
import { customResourceOf } from "./custom-resource.ts";

// What kube-apiserver 1.36.3 answered, cause by cause, to objects of this schema.

const schema = {
  type: "object",
  required: ["spec"],
  properties: {
    spec: {
      type: "object",
      required: ["text"],
      "x-kubernetes-validations": [
        { rule: "!has(self.low) || !has(self.high) || self.low <= self.high", message: "low must not exceed high" },
        {
          rule: "!has(self.size) || self.size < 100",
          messageExpression: "self.size > 150 ? 'far too large' : 'too large'",
          fieldPath: ".size",
          reason: "FieldValueForbidden",
        },
        { rule: "!has(self.wait) || self.wait < duration('24h')" },
        {
          rule: "!has(self.share) || (type(self.share) == int ? self.share >= 0 : self.share.matches('^[0-9]+%$'))",
          message: "share must be a count or a percentage",
        },
        { rule: "!has(self.share) || self.share != 'x' || self.share > 3" },
        { rule: "!has(self.tags) || self.tags[1] != 'zz'", message: "second tag" },
        { rule: "self.text == oldSelf.text", message: "text is immutable" },
      ],
      properties: {
        text: { type: "string", minLength: 2, maxLength: 10, pattern: "^[a-z]+$" },
        size: { type: "integer", minimum: 1, maximum: 200, multipleOf: 2 },
        small: { type: "integer", format: "int32" },
        ratio: { type: "number", minimum: 0.5, maximum: 99.5, exclusiveMaximum: true, multipleOf: 0.25 },
        flag: { type: "boolean", default: true },
        note: { type: "string", nullable: true },
        low: { type: "integer" },
        high: { type: "integer" },
        wait: { type: "string", format: "duration" },
        when: { type: "string", format: "date-time" },
        share: { "x-kubernetes-int-or-string": true },
        color: { type: "string", enum: ["red", "green"] },
        tags: {
          type: "array",
          minItems: 1,
          maxItems: 3,
          "x-kubernetes-list-type": "set",
          items: { type: "string", maxLength: 5 },
        },
        ports: {
          type: "array",
          maxItems: 10,
          "x-kubernetes-list-type": "map",
          "x-kubernetes-list-map-keys": ["name"],
          items: {
            type: "object",
            required: ["name"],
            "x-kubernetes-validations": [{ rule: "self.port >= oldSelf.port", message: "port may not shrink" }],
            properties: { name: { type: "string", maxLength: 20 }, port: { type: "integer", default: 80 } },
          },
        },
        labels: {
          type: "object",
          minProperties: 1,
          maxProperties: 2,
          additionalProperties: {
            type: "string",
            maxLength: 4,
            "x-kubernetes-validations": [{ rule: "self != 'no'" }],
          },
        },
        free: {
          type: "object",
          "x-kubernetes-preserve-unknown-fields": true,
          properties: { known: { type: "integer" } },
        },
        template: {
          type: "object",
          "x-kubernetes-embedded-resource": true,
          "x-kubernetes-preserve-unknown-fields": true,
        },
        inner: { type: "object", default: {}, properties: { a: { type: "integer", default: 3 } } },
        one: {
          type: "object",
          properties: { x: { type: "string" }, y: { type: "integer" } },
          oneOf: [{ required: ["x"] }, { required: ["y"] }],
        },
        any: {
          type: "object",
          properties: { x: { type: "string" }, y: { type: "integer" } },
          anyOf: [{ required: ["x"], properties: { x: { minLength: 2 } } }, { required: ["y"] }],
        },
        all: {
          type: "object",
          properties: { x: { type: "string" }, y: { type: "integer" } },
          allOf: [{ required: ["x"] }, { properties: { y: { maximum: 4 } } }],
          not: { required: ["y"], properties: { y: { enum: [3] } } },
        },
      },
    },
  },
};

const cases: readonly { readonly title: string; readonly spec: JsonObject; readonly answer: readonly string[] }[] = [
  {
    title: "a good object",
    spec: {
      size: 4,
      share: "5%",
      tags: ["a", "b"],
      ports: [{ name: "x" }],
      labels: { k: "v" },
      one: { x: "a" },
      any: { y: 1 },
      all: { x: "a", y: 4 },
      wait: "1h",
      when: "2024-01-02T03:04:05Z",
    },
    answer: [],
  },
  {
    title: "a text that is too long",
    spec: { text: "abcdefghijklm" },
    answer: [
      "FieldValueInvalid <nil>: Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation",
      "FieldValueTooLong spec.text: Too long: may not be more than 10 bytes",
    ],
  },
  {
    title: "a text that is too short",
    spec: { text: "a" },
    answer: ['FieldValueInvalid spec.text: Invalid value: "a": spec.text in body should be at least 2 chars long'],
  },
  {
    title: "a text against the pattern",
    spec: { text: "ABC" },
    answer: ["FieldValueInvalid spec.text: Invalid value: \"ABC\": spec.text in body should match '^[a-z]+$'"],
  },
  {
    title: "a number for a text",
    spec: { text: 5 },
    answer: [
      "FieldValueInvalid <nil>: Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation",
      'FieldValueTypeInvalid spec.text: Invalid value: "integer": spec.text in body must be of type string: "integer"',
    ],
  },
  {
    title: "no text at all",
    spec: { text: undefined },
    answer: [
      "FieldValueInvalid <nil>: Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation",
      "FieldValueRequired spec.text: Required value",
    ],
  },
  {
    title: "signs that are escaped",
    spec: { text: 'a"<\u0001é😀' },
    answer: [
      'FieldValueInvalid spec.text: Invalid value: "a\\"<\\x01é😀": spec.text in body should match \'^[a-z]+$\'',
    ],
  },
  {
    title: "a text for a number",
    spec: { size: "x" },
    answer: [
      "FieldValueInvalid <nil>: Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation",
      'FieldValueTypeInvalid spec.size: Invalid value: "string": spec.size in body must be of type integer: "string"',
    ],
  },
  {
    title: "a fraction for an integer",
    spec: { size: 1.5 },
    answer: [
      'FieldValueInvalid <nil>: Invalid value: "": Checked value must be of type integer (default format) in spec.size',
      "FieldValueInvalid <nil>: Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation",
      "FieldValueInvalid spec.size: Invalid value: 1.5: spec.size in body should be a multiple of 2",
      'FieldValueTypeInvalid spec.size: Invalid value: "number": spec.size in body must be of type integer: "number"',
    ],
  },
  {
    title: "a number below the minimum",
    spec: { size: 0 },
    answer: ["FieldValueInvalid spec.size: Invalid value: 0: spec.size in body should be greater than or equal to 1"],
  },
  {
    title: "a number above the maximum",
    spec: { size: 300 },
    answer: [
      "FieldValueForbidden spec.size: Forbidden: far too large",
      "FieldValueInvalid spec.size: Invalid value: 300: spec.size in body should be less than or equal to 200",
    ],
  },
  {
    title: "a number that is no multiple",
    spec: { size: 3 },
    answer: ["FieldValueInvalid spec.size: Invalid value: 3: spec.size in body should be a multiple of 2"],
  },
  {
    title: "a number beyond 32 bits",
    spec: { small: 3000000000 },
    answer: [
      'FieldValueInvalid <nil>: Invalid value: "": Checked value must be of type integer with format int32 in spec.small',
    ],
  },
  {
    title: "a ratio at the exclusive maximum",
    spec: { ratio: 99.5 },
    answer: ["FieldValueInvalid spec.ratio: Invalid value: 99.5: spec.ratio in body should be less than 99.5"],
  },
  {
    title: "a ratio below the minimum",
    spec: { ratio: 0.25 },
    answer: [
      "FieldValueInvalid spec.ratio: Invalid value: 0.25: spec.ratio in body should be greater than or equal to 0.5",
    ],
  },
  {
    title: "a ratio that is no multiple",
    spec: { ratio: 0.6 },
    answer: ["FieldValueInvalid spec.ratio: Invalid value: 0.6: spec.ratio in body should be a multiple of 0.25"],
  },
  {
    title: "a huge number",
    spec: { ratio: 1e100 },
    answer: [
      "FieldValueInvalid spec.ratio: Invalid value: 1e+100: spec.ratio in body should be a multiple of 0.25",
      "FieldValueInvalid spec.ratio: Invalid value: 1e+100: spec.ratio in body should be less than 99.5",
    ],
  },
  {
    title: "a text for a flag",
    spec: { flag: "true" },
    answer: [
      "FieldValueInvalid <nil>: Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation",
      'FieldValueTypeInvalid spec.flag: Invalid value: "string": spec.flag in body must be of type boolean: "string"',
    ],
  },
  { title: "null where it is allowed", spec: { note: null }, answer: [] },
  { title: "null where it is not", spec: { low: null }, answer: [] },
  {
    title: "a list for an object",
    spec: { inner: [] },
    answer: [
      "FieldValueInvalid <nil>: Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation",
      'FieldValueTypeInvalid spec.inner: Invalid value: "array": spec.inner in body must be of type object: "array"',
    ],
  },
  {
    title: "an object for a list",
    spec: { tags: {} },
    answer: [
      "FieldValueInvalid <nil>: Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation",
      'FieldValueTypeInvalid spec.tags: Invalid value: "object": spec.tags in body must be of type array: "object"',
    ],
  },
  {
    title: "a duration that is none",
    spec: { wait: "soon" },
    answer: [
      "FieldValueInvalid <nil>: Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation",
      'FieldValueTypeInvalid spec.wait: Invalid value: "soon": spec.wait in body must be of type duration: "soon"',
    ],
  },
  {
    title: "a time that is none",
    spec: { when: "2024-13-01T00:00:00Z" },
    answer: [
      "FieldValueInvalid <nil>: Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation",
      'FieldValueTypeInvalid spec.when: Invalid value: "2024-13-01T00:00:00Z": spec.when in body must be of type date-time: "2024-13-01T00:00:00Z"',
    ],
  },
  {
    title: "an integer for a time",
    spec: { when: 5 },
    answer: [
      "FieldValueInvalid <nil>: Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation",
      'FieldValueTypeInvalid spec.when: Invalid value: "int64": spec.when in body must be of type date-time: "int64"',
    ],
  },
  {
    title: "a choice that is none",
    spec: { color: "blue" },
    answer: [
      "FieldValueInvalid <nil>: Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation",
      'FieldValueNotSupported spec.color: Unsupported value: "blue": supported values: "red", "green"',
    ],
  },
  {
    title: "an empty choice",
    spec: { color: "" },
    answer: [
      "FieldValueInvalid <nil>: Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation",
      'FieldValueNotSupported spec.color: Unsupported value: "": supported values: "red", "green"',
    ],
  },
  {
    title: "a flag for an int-or-string",
    spec: { share: true },
    answer: [
      "FieldValueInvalid <nil>: Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation",
      'FieldValueTypeInvalid spec.share: Invalid value: "boolean": spec.share in body must be of type integer,string: "boolean"',
    ],
  },
  {
    title: "a share that a rule refuses",
    spec: { share: "half" },
    answer: ["FieldValueInvalid spec: Invalid value: share must be a count or a percentage"],
  },
  {
    title: "a rule that compares text with a number",
    spec: { share: "x" },
    answer: [
      "FieldValueInvalid spec: Invalid value: \"object\": 'no such overload': call arguments did not match a supported operator, function or macro signature for rule: !has(self.share) || self.share != 'x' || self.share > 3",
      "FieldValueInvalid spec: Invalid value: share must be a count or a percentage",
    ],
  },
  {
    title: "too few items",
    spec: { tags: [] },
    answer: [
      "FieldValueInvalid spec.tags: Invalid value: 0: spec.tags in body should have at least 1 items",
      'FieldValueInvalid spec: Invalid value: "object": index out of bounds: 1 evaluating rule: second tag',
    ],
  },
  {
    title: "too many items",
    spec: { tags: ["a", "b", "c", "d"] },
    answer: [
      "FieldValueInvalid <nil>: Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation",
      "FieldValueTooMany spec.tags: Too many: 4: must have at most 3 items",
    ],
  },
  {
    title: "an item twice in a set",
    spec: { tags: ["a", "a"] },
    answer: ['FieldValueDuplicate spec.tags[1]: Duplicate value: "a"'],
  },
  {
    title: "an item that is too long",
    spec: { tags: ["a", "abcdef"] },
    answer: [
      "FieldValueInvalid <nil>: Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation",
      "FieldValueTooLong spec.tags[1]: Too long: may not be more than 5 bytes",
    ],
  },
  {
    title: "an index that is out of bounds",
    spec: { tags: ["a"] },
    answer: ['FieldValueInvalid spec: Invalid value: "object": index out of bounds: 1 evaluating rule: second tag'],
  },
  {
    title: "an index that a rule refuses",
    spec: { tags: ["a", "zz"] },
    answer: ["FieldValueInvalid spec: Invalid value: second tag"],
  },
  {
    title: "a key twice in a map",
    spec: { ports: [{ name: "x" }, { name: "x", port: 1 }] },
    answer: ['FieldValueDuplicate spec.ports[1]: Duplicate value: {"name":"x"}'],
  },
  {
    title: "an item without its key",
    spec: { ports: [{ port: 1 }] },
    answer: [
      "FieldValueInvalid <nil>: Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation",
      "FieldValueRequired spec.ports[0].name: Required value",
    ],
  },
  {
    title: "an item that is no object",
    spec: { ports: ["x"] },
    answer: [
      "FieldValueInvalid <nil>: Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation",
      'FieldValueInvalid spec.ports[0]: Invalid value: "x": must be an object for an array of list-type map',
      'FieldValueTypeInvalid spec.ports[0]: Invalid value: "string": spec.ports[0] in body must be of type object: "string"',
    ],
  },
  {
    title: "too few labels",
    spec: { labels: {} },
    answer: ["FieldValueInvalid spec.labels: Invalid value: 0: spec.labels in body should have at least 1 properties"],
  },
  {
    title: "too many labels",
    spec: { labels: { a: "1", b: "2", c: "3" } },
    answer: [
      "FieldValueInvalid <nil>: Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation",
      "FieldValueTooMany spec.labels: Too many: 3: must have at most 2 items",
    ],
  },
  {
    title: "a label of the wrong type",
    spec: { labels: { "a/b": 5 } },
    answer: [
      "FieldValueInvalid <nil>: Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation",
      'FieldValueTypeInvalid spec.labels.a/b: Invalid value: "integer": spec.labels.a/b in body must be of type string: "integer"',
    ],
  },
  {
    title: "a label that is too long",
    spec: { labels: { "a/b": "12345" } },
    answer: [
      "FieldValueInvalid <nil>: Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation",
      "FieldValueTooLong spec.labels.a/b: Too long: may not be more than 4 bytes",
    ],
  },
  {
    title: "a label that a rule refuses",
    spec: { labels: { "a/b": "no" } },
    answer: ["FieldValueInvalid spec.labels[a/b]: Invalid value: \"no\": failed rule: self != 'no'"],
  },
  {
    title: "a known field of the wrong type among free ones",
    spec: { free: { known: "x", other: 1 } },
    answer: [
      "FieldValueInvalid <nil>: Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation",
      'FieldValueTypeInvalid spec.free.known: Invalid value: "string": spec.free.known in body must be of type integer: "string"',
    ],
  },
  {
    title: "an embedded resource without a kind",
    spec: { template: { apiVersion: "v1" } },
    answer: [
      "FieldValueInvalid <nil>: Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation",
      "FieldValueRequired spec.template.kind: Required value",
    ],
  },
  {
    title: "an embedded resource with an odd kind",
    spec: { template: { apiVersion: "a/b/c", kind: "Po_d" } },
    answer: [
      'FieldValueInvalid spec.template.apiVersion: Invalid value: "a/b/c": unexpected GroupVersion string: a/b/c',
      "FieldValueInvalid spec.template.kind: Invalid value: \"Po_d\": may have mixed case, but should otherwise match: a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')",
    ],
  },
  {
    title: "an embedded resource with a name that cannot stand in a URL",
    spec: { template: { apiVersion: "v1", kind: "Pod", metadata: { name: "a/b/c" } } },
    answer: [`FieldValueInvalid spec.template.metadata.name: Invalid value: "a/b/c": may not contain '/'`],
  },
  {
    title: "none of one",
    spec: { one: {} },
    answer: [
      'FieldValueInvalid <nil>: Invalid value: "": "spec.one" must validate one and only one schema (oneOf). Found none valid',
      "FieldValueInvalid <nil>: Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation",
      "FieldValueRequired spec.one.x: Required value",
    ],
  },
  {
    title: "both of one",
    spec: { one: { x: "a", y: 1 } },
    answer: [
      'FieldValueInvalid <nil>: Invalid value: "": "spec.one" must validate one and only one schema (oneOf). Found 2 valid alternatives',
    ],
  },
  {
    title: "none of any",
    spec: { any: {} },
    answer: [
      'FieldValueInvalid <nil>: Invalid value: "": "spec.any" must validate at least one schema (anyOf)',
      "FieldValueInvalid <nil>: Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation",
      "FieldValueRequired spec.any.x: Required value",
    ],
  },
  {
    title: "an almost of any",
    spec: { any: { x: "a" } },
    answer: [
      'FieldValueInvalid <nil>: Invalid value: "": "spec.any" must validate at least one schema (anyOf)',
      'FieldValueInvalid spec.any.x: Invalid value: "a": spec.any.x in body should be at least 2 chars long',
    ],
  },
  {
    title: "not all of all",
    spec: { all: { y: 9 } },
    answer: [
      'FieldValueInvalid <nil>: Invalid value: "": "spec.all" must validate all the schemas (allOf). None validated',
      "FieldValueInvalid <nil>: Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation",
      "FieldValueInvalid spec.all.y: Invalid value: 9: spec.all.y in body should be less than or equal to 4",
      "FieldValueRequired spec.all.x: Required value",
    ],
  },
  {
    title: "what must not be",
    spec: { all: { x: "a", y: 3 } },
    answer: ['FieldValueInvalid <nil>: Invalid value: "": "spec.all" must not validate the schema (not)'],
  },
  {
    title: "two fields that contradict each other",
    spec: { low: 3, high: 2 },
    answer: ["FieldValueInvalid spec: Invalid value: low must not exceed high"],
  },
  {
    title: "a rule with its own message and path",
    spec: { size: 120 },
    answer: ["FieldValueForbidden spec.size: Forbidden: too large"],
  },
  {
    title: "a rule with its other message",
    spec: { size: 160 },
    answer: ["FieldValueForbidden spec.size: Forbidden: far too large"],
  },
  {
    title: "a rule without a message",
    spec: { wait: "30h" },
    answer: ["FieldValueInvalid spec: Invalid value: failed rule: !has(self.wait) || self.wait < duration('24h')"],
  },
  {
    title: "mistakes of which some keep rules from being checked",
    spec: { size: 0, color: "blue", low: 3, high: 2 },
    answer: [
      "FieldValueInvalid <nil>: Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation",
      "FieldValueInvalid spec.size: Invalid value: 0: spec.size in body should be greater than or equal to 1",
      'FieldValueNotSupported spec.color: Unsupported value: "blue": supported values: "red", "green"',
    ],
  },
  { title: "a field called constructor", spec: { constructor: 1, free: { constructor: {}, toString: 1 } }, answer: [] },
];

const updates: readonly {
  readonly title: string;
  readonly old: JsonObject;
  readonly spec: JsonObject;
  readonly answer: readonly string[];
}[] = [
  {
    title: "an immutable text",
    old: {},
    spec: { text: "other" },
    answer: ["FieldValueInvalid spec: Invalid value: text is immutable"],
  },
  {
    title: "a port that shrinks, and another that is new",
    old: {
      ports: [
        { name: "x", port: 5 },
        { name: "y", port: 5 },
      ],
    },
    spec: {
      ports: [
        { name: "z", port: 1 },
        { name: "y", port: 4 },
        { name: "x", port: 6 },
      ],
    },
    answer: ["FieldValueInvalid spec.ports[1]: Invalid value: port may not shrink"],
  },
];

const { definition, coerce, prune } = customResource();

function customResource(): NonNullable<ReturnType<typeof customResourceOf>> {
  const resource = customResourceOf(
    {
      spec: {
        group: "shop.example.com",
        scope: "Namespaced",
        names: { plural: "things", singular: "thing", kind: "Thing", listKind: "ThingList" },
        versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: schema as never } }],
      },
    },
    "v1",
  );
  assert.ok(resource !== undefined);
  return resource;
}

/** An object as a client sends it, decoded. */
function thing(spec: JsonObject): Draft {
  const sent = {
    apiVersion: "shop.example.com/v1",
    kind: "Thing",
    metadata: { name: "it" },
    spec: { text: "abc", ...spec },
  };
  const draft = JSON.parse(JSON.stringify(sent)) as Draft;
  assert.equal(coerce(draft), undefined);
  prune(draft);
  definition.setDefaults?.(draft);
  return draft;
}

function causes(errors: readonly FieldError[] | undefined): string[] {
  const lines = errors?.map((error) => `${reasonOf(error)} ${error.field}: ${describeWithoutField(error)}`) ?? [];
  return [...new Set(lines)].sort();
}

describe("An object of a custom resource is judged as kube-apiserver judges it:", () => {
  for (const { title, spec, answer } of cases) {
    it(title, () => {
      assert.deepEqual(causes(definition.validate?.(thing(spec))), answer);
    });
  }

  for (const { title, old, spec, answer } of updates) {
    it(`update to ${title}`, () => {
      assert.deepEqual(causes(definition.validateUpdate?.(thing(spec), thing(old) as unknown as KubeObject)), answer);
    });
  }
});
