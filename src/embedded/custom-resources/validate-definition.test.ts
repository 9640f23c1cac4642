import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { CustomResourceDefinition } from "kubernetes-types/apiextensions/v1.js";
import { describeWithoutField, reasonOf } from "../../core/api/field-error.ts";
import { prepareNewDefinition, setDefinitionDefaults } from "./definition-defaults.ts";
import { validateCustomResourceDefinition, validateCustomResourceDefinitionUpdate } from "./validate-definition.ts";

/** How a definition differs from a good one. */
interface Change {
  readonly name?: string;
  readonly spec?: object;
  readonly version?: object;
  /** Of the schema. */
  readonly properties?: object;
}

function definitionWith({
  name = "things.schema.test",
  spec = {},
  version = {},
  properties = goodProperties,
}: Change): CustomResourceDefinition {
  const schema = { openAPIV3Schema: { type: "object", properties } };
  const versions = [{ name: "v1", served: true, storage: true, schema, ...version }];
  const names = { plural: "things", kind: "Thing" };
  const written = { metadata: { name }, spec: { group: "schema.test", scope: "Namespaced", names, versions, ...spec } };
  const definition = JSON.parse(JSON.stringify(written)) as CustomResourceDefinition;
  setDefinitionDefaults(definition);
  prepareNewDefinition(definition);
  return definition;
}

const goodProperties = { spec: { type: "object", properties: { a: { type: "integer" } } } };

// What kube-apiserver 1.36.3 answered, cause by cause.
const mistakes: readonly (Change & { readonly title: string; readonly answer: readonly string[] })[] = [
  {
    title: "two versions that are stored",
    spec: {
      versions: [
        {
          name: "v1",
          served: true,
          storage: true,
          schema: {
            openAPIV3Schema: {
              type: "object",
              properties: { spec: { type: "object", properties: { a: { type: "integer" } } } },
            },
          },
        },
        {
          name: "v2",
          served: true,
          storage: true,
          schema: {
            openAPIV3Schema: {
              type: "object",
              properties: { spec: { type: "object", properties: { a: { type: "integer" } } } },
            },
          },
        },
      ],
    },
    answer: [
      'FieldValueInvalid spec.versions: Invalid value: [{"Name":"v1","Served":true,"Storage":true,"Deprecated":false,"DeprecationWarning":null,"Schema":null,"Subresources":null,"AdditionalPrinterColumns":null,"SelectableFields":null},{"Name":"v2","Served":true,"Storage":true,"Deprecated":false,"DeprecationWarning":null,"Schema":null,"Subresources":null,"AdditionalPrinterColumns":null,"SelectableFields":null}]: must have exactly one version marked as storage version',
      'FieldValueInvalid status.storedVersions: Invalid value: ["v1"]: must have the storage version v2',
    ],
  },
  {
    title: "no version that is stored",
    version: { storage: false },
    answer: [
      'FieldValueInvalid spec.versions: Invalid value: [{"Name":"v1","Served":true,"Storage":false,"Deprecated":false,"DeprecationWarning":null,"Schema":null,"Subresources":null,"AdditionalPrinterColumns":null,"SelectableFields":null}]: must have exactly one version marked as storage version',
      "FieldValueInvalid status.storedVersions: Invalid value: null: must have at least one stored version",
    ],
  },
  {
    title: "no version",
    spec: { versions: [] },
    answer: [
      "FieldValueInvalid spec.versions: Invalid value: []: must have exactly one version marked as storage version",
      "FieldValueInvalid status.storedVersions: Invalid value: null: must have at least one stored version",
    ],
  },
  {
    title: "a version twice",
    spec: {
      versions: [
        {
          name: "v1",
          served: true,
          storage: true,
          schema: {
            openAPIV3Schema: {
              type: "object",
              properties: { spec: { type: "object", properties: { a: { type: "integer" } } } },
            },
          },
        },
        {
          name: "v1",
          served: true,
          storage: false,
          schema: {
            openAPIV3Schema: {
              type: "object",
              properties: { spec: { type: "object", properties: { a: { type: "integer" } } } },
            },
          },
        },
      ],
    },
    answer: [
      'FieldValueInvalid spec.versions: Invalid value: [{"Name":"v1","Served":true,"Storage":true,"Deprecated":false,"DeprecationWarning":null,"Schema":null,"Subresources":null,"AdditionalPrinterColumns":null,"SelectableFields":null},{"Name":"v1","Served":true,"Storage":false,"Deprecated":false,"DeprecationWarning":null,"Schema":null,"Subresources":null,"AdditionalPrinterColumns":null,"SelectableFields":null}]: must contain unique version names',
    ],
  },
  {
    title: "a name that is not plural and group",
    name: "foo.bar",
    answer: ['FieldValueInvalid metadata.name: Invalid value: "foo.bar": must be spec.names.plural+"."+spec.group'],
  },
  {
    title: "a group without a dot",
    name: "things.test",
    spec: { group: "test" },
    answer: ['FieldValueInvalid spec.group: Invalid value: "test": should be a domain with at least one dot'],
  },
  {
    title: "a scope that is none",
    spec: { scope: "Foo" },
    answer: ['FieldValueNotSupported spec.scope: Unsupported value: "Foo": supported values: "Cluster", "Namespaced"'],
  },
  { title: "no scope", spec: { scope: undefined }, answer: ["FieldValueRequired spec.scope: Required value"] },
  {
    title: "no kind",
    spec: { names: { plural: "things" } },
    answer: [
      "FieldValueRequired spec.names.kind: Required value",
      "FieldValueRequired spec.names.listKind: Required value",
      "FieldValueRequired spec.names.singular: Required value",
    ],
  },
  {
    title: "an odd short name",
    spec: { names: { plural: "things", kind: "Thing", shortNames: ["T_h"] } },
    answer: [
      "FieldValueInvalid spec.names.shortNames[0]: Invalid value: \"T_h\": a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')",
    ],
  },
  {
    title: "the kind as the kind of lists",
    spec: { names: { plural: "things", kind: "Thing", listKind: "Thing" } },
    answer: ['FieldValueInvalid spec.names.listKind: Invalid value: "Thing": kind and listKind may not be the same'],
  },
  {
    title: "no schema",
    version: { schema: undefined },
    answer: ["FieldValueRequired spec.versions[0].schema.openAPIV3Schema: Required value"],
  },
  {
    title: "an odd column",
    version: { additionalPrinterColumns: [{ name: "", type: "foo", format: "bar", jsonPath: "spec" }] },
    answer: [
      'FieldValueInvalid spec.additionalPrinterColumns[0].JSONPath: Invalid value: "spec": must be a simple json path starting with .',
      'FieldValueInvalid spec.additionalPrinterColumns[0].format: Invalid value: "bar": must be one of byte,date,date-time,double,float,int32,int64,password',
      'FieldValueInvalid spec.additionalPrinterColumns[0].type: Invalid value: "foo": must be one of boolean,date,integer,number,string',
      "FieldValueRequired spec.additionalPrinterColumns[0].name: Required value",
    ],
  },
  {
    title: "odd paths of scale",
    version: {
      subresources: { scale: { specReplicasPath: ".foo", statusReplicasPath: "x", labelSelectorPath: ".x" } },
    },
    answer: [
      'FieldValueInvalid spec.subresources.scale.labelSelectorPath: Invalid value: ".x": should be a json path under either .spec or .status',
      'FieldValueInvalid spec.subresources.scale.specReplicasPath: Invalid value: ".foo": should be a json path under .spec',
      'FieldValueInvalid spec.subresources.scale.statusReplicasPath: Invalid value: "x": must be a simple json path starting with .',
    ],
  },
  {
    title: "a scale without paths",
    version: { subresources: { scale: {} } },
    answer: [
      "FieldValueRequired spec.subresources.scale.specReplicasPath: Required value",
      "FieldValueRequired spec.subresources.scale.statusReplicasPath: Required value",
    ],
  },
  {
    title: "odd selectable fields",
    version: {
      selectableFields: [
        { jsonPath: ".spec" },
        { jsonPath: ".nope" },
        { jsonPath: ".spec.a" },
        { jsonPath: ".spec.a" },
        { jsonPath: ".metadata.x" },
        { jsonPath: "a[0]" },
      ],
    },
    answer: [
      'FieldValueDuplicate spec.selectableFields[3].jsonPath: Duplicate value: ".spec.a"',
      'FieldValueInvalid spec.selectableFields[0].jsonPath: Invalid value: ".spec": must point to a field of type string, boolean or integer. Enum string fields and strings with formats are allowed.',
      'FieldValueInvalid spec.selectableFields[1].jsonPath: Invalid value: ".nope": is an invalid path: does not refer to a valid field',
      'FieldValueInvalid spec.selectableFields[4].jsonPath: Invalid value: ".metadata.x": is an invalid path: does not refer to a valid field',
      'FieldValueInvalid spec.selectableFields[5].jsonPath: Invalid value: "a[0]": is an invalid path: expected [ or . but got: a',
    ],
  },
  {
    title: "a schema that is not structural",
    properties: {
      spec: { type: "object", properties: { a: { type: "integer" } } },
      x: {},
      y: { type: "array" },
      z: {
        type: "object",
        properties: { q: { type: "string" } },
        anyOf: [{ properties: { r: { type: "string" } }, description: "x" }],
      },
      metadata: { type: "object", properties: { labels: { type: "object" } } },
      p: { type: "string", pattern: "(" },
    },
    answer: [
      "FieldValueForbidden spec.validation.openAPIV3Schema.properties[metadata]: Forbidden: must not specify anything other than name and generateName, but metadata is implicitly specified",
      "FieldValueForbidden spec.validation.openAPIV3Schema.properties[z].anyOf[0].description: Forbidden: must be empty to be structural",
      "FieldValueForbidden spec.validation.openAPIV3Schema.properties[z].anyOf[0].properties[r].type: Forbidden: must be empty to be structural",
      'FieldValueInvalid spec.validation.openAPIV3Schema.properties[p].pattern: Invalid value: "(": must be a valid regular expression, but isn\'t: error parsing regexp: missing closing ): `(`',
      "FieldValueRequired spec.validation.openAPIV3Schema.properties[x].type: Required value: must not be empty for specified object fields",
      "FieldValueRequired spec.validation.openAPIV3Schema.properties[y].items: Required value: must be specified",
    ],
  },
  {
    title: "a default with unknown fields and wrong types",
    properties: { spec: { type: "object", properties: { a: { type: "integer" } }, default: { a: "x", b: 1 } } },
    answer: [
      'FieldValueInvalid spec.validation.openAPIV3Schema.properties[spec].default: Invalid value: {"a":"x","b":1}: must not have unknown fields',
      'FieldValueTypeInvalid spec.validation.openAPIV3Schema.properties[spec].default.a: Invalid value: "string": a in body must be of type integer: "string"',
    ],
  },
  {
    title: "a default of the wrong type",
    properties: { spec: { type: "object", properties: { a: { type: "integer", default: "x" } } } },
    answer: [
      'FieldValueTypeInvalid spec.validation.openAPIV3Schema.properties[spec].properties[a].default: Invalid value: "string":  in body must be of type integer: "string"',
    ],
  },
  {
    title: "a type that is none",
    properties: { spec: { type: "object", properties: { a: { type: "int" } } } },
    answer: [
      'FieldValueNotSupported spec.validation.openAPIV3Schema.properties[spec].properties[a].type: Unsupported value: "int": supported values: "array", "boolean", "integer", "number", "object", "string"',
    ],
  },
  {
    title: "keywords that are not supported",
    properties: {
      spec: {
        type: "object",
        properties: { a: { type: "integer" } },
        uniqueItems: true,
        additionalProperties: { type: "string" },
        $ref: "#/x",
        definitions: { a: {} },
        patternProperties: { a: {} },
        dependencies: { a: ["b"] },
        id: "x",
      },
    },
    answer: [
      "FieldValueForbidden spec.validation.openAPIV3Schema.properties[spec].$ref: Forbidden: $ref is not supported",
      "FieldValueForbidden spec.validation.openAPIV3Schema.properties[spec].additionalProperties: Forbidden: additionalProperties and properties are mutual exclusive",
      "FieldValueForbidden spec.validation.openAPIV3Schema.properties[spec].definitions: Forbidden: definitions is not supported",
      "FieldValueForbidden spec.validation.openAPIV3Schema.properties[spec].dependencies: Forbidden: dependencies is not supported",
      "FieldValueForbidden spec.validation.openAPIV3Schema.properties[spec].id: Forbidden: id is not supported",
      "FieldValueForbidden spec.validation.openAPIV3Schema.properties[spec].patternProperties: Forbidden: patternProperties is not supported",
      "FieldValueForbidden spec.validation.openAPIV3Schema.properties[spec].uniqueItems: Forbidden: uniqueItems cannot be set to true since the runtime complexity becomes quadratic",
    ],
  },
  {
    title: "odd extensions of lists and maps",
    properties: {
      spec: { type: "object", properties: { a: { type: "integer" } } },
      l: {
        type: "array",
        "x-kubernetes-list-type": "map",
        items: { type: "object", properties: { k: { type: "string" } } },
        "x-kubernetes-list-map-keys": ["k", "z"],
      },
      m: { type: "object", "x-kubernetes-list-type": "foo" },
      s: { type: "array", "x-kubernetes-list-type": "set", items: { type: "object" } },
      u: { type: "string", "x-kubernetes-map-type": "x" },
      v: { type: "object", "x-kubernetes-preserve-unknown-fields": false },
    },
    answer: [
      'FieldValueInvalid spec.validation.openAPIV3Schema.properties[l].x-kubernetes-list-map-keys: Invalid value: ["k","z"]: entries must all be names of item properties',
      'FieldValueInvalid spec.validation.openAPIV3Schema.properties[m].type: Invalid value: "object": must be array if x-kubernetes-list-type is specified',
      "FieldValueInvalid spec.validation.openAPIV3Schema.properties[s].items.x-kubernetes-map-type: Invalid value: null: must be atomic as item of a list with x-kubernetes-list-type=set",
      'FieldValueInvalid spec.validation.openAPIV3Schema.properties[u].type: Invalid value: "string": must be object if x-kubernetes-map-type is specified',
      "FieldValueInvalid spec.validation.openAPIV3Schema.properties[v].x-kubernetes-preserve-unknown-fields: Invalid value: false: must be true or undefined",
      'FieldValueNotSupported spec.validation.openAPIV3Schema.properties[m].x-kubernetes-list-type: Unsupported value: "foo": supported values: "atomic", "set", "map"',
      'FieldValueNotSupported spec.validation.openAPIV3Schema.properties[u].x-kubernetes-map-type: Unsupported value: "x": supported values: "atomic", "granular"',
      "FieldValueRequired spec.validation.openAPIV3Schema.properties[l].items.properties[k].default: Required value: this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property",
    ],
  },
  {
    title: "rules without text",
    properties: {
      spec: {
        type: "object",
        properties: { a: { type: "integer" } },
        "x-kubernetes-validations": [
          { rule: " " },
          { rule: "true", message: " " },
          { rule: "true", message: "a\nb" },
          { rule: "true\n&& true" },
          { rule: "true", reason: "Foo", fieldPath: ".nope" },
          { rule: "true", messageExpression: " " },
        ],
      },
    },
    answer: [
      'FieldValueInvalid spec.validation.openAPIV3Schema.properties[spec].x-kubernetes-validations[1].message: Invalid value: " ": must be non-empty if specified',
      'FieldValueInvalid spec.validation.openAPIV3Schema.properties[spec].x-kubernetes-validations[2].message: Invalid value: "a\\nb": must not contain line breaks',
      'FieldValueInvalid spec.validation.openAPIV3Schema.properties[spec].x-kubernetes-validations[4].fieldPath: Invalid value: ".nope": must be a valid path',
      'FieldValueNotSupported spec.validation.openAPIV3Schema.properties[spec].x-kubernetes-validations[4].reason: Unsupported value: "Foo": supported values: "FieldValueDuplicate", "FieldValueForbidden", "FieldValueInvalid", "FieldValueRequired"',
      "FieldValueRequired spec.validation.openAPIV3Schema.properties[spec].x-kubernetes-validations[0].rule: Required value: rule is not specified",
      "FieldValueRequired spec.validation.openAPIV3Schema.properties[spec].x-kubernetes-validations[3].message: Required value: message must be specified if rule contains line breaks",
      "FieldValueRequired spec.validation.openAPIV3Schema.properties[spec].x-kubernetes-validations[5].messageExpression: Required value: messageExpression must be non-empty if specified",
    ],
  },
  {
    title: "rules on old values that nobody can find",
    properties: {
      spec: {
        type: "object",
        properties: {
          a: { type: "integer" },
          l: {
            type: "array",
            maxItems: 3,
            items: { type: "string", maxLength: 3, "x-kubernetes-validations": [{ rule: "self==oldSelf" }] },
          },
        },
        "x-kubernetes-validations": [
          { rule: "true", optionalOldSelf: true },
          { rule: "true", messageExpression: "1" },
          { rule: "true", messageExpression: "self.q" },
        ],
      },
    },
    answer: [
      'FieldValueInvalid spec.validation.openAPIV3Schema.properties[spec].properties[l].items.x-kubernetes-validations[0].rule: Invalid value: "self==oldSelf": oldSelf cannot be used on the uncorrelatable portion of the schema within spec.validation.openAPIV3Schema.properties[spec].properties[l]',
      "FieldValueInvalid spec.validation.openAPIV3Schema.properties[spec].x-kubernetes-validations[0].optionalOldSelf: Invalid value: true: may not be set if oldSelf is not used in rule",
      'FieldValueInvalid spec.validation.openAPIV3Schema.properties[spec].x-kubernetes-validations[1].messageExpression: Invalid value: {"Rule":"true","Message":"","MessageExpression":"1","Reason":null,"FieldPath":"","OptionalOldSelf":null}: messageExpression must evaluate to a string',
      'FieldValueInvalid spec.validation.openAPIV3Schema.properties[spec].x-kubernetes-validations[2].messageExpression: Invalid value: {"Rule":"true","Message":"","MessageExpression":"self.q","Reason":null,"FieldPath":"","OptionalOldSelf":null}: messageExpression compilation failed: ERROR: <input>:1:5: undefined field \'q\'\n | self.q\n | ....^',
    ],
  },
  {
    title: "a webhook that is not configured",
    spec: { conversion: { strategy: "Webhook" } },
    answer: [
      "FieldValueRequired spec.conversion.conversionReviewVersions: Required value",
      "FieldValueRequired spec.conversion.webhookClientConfig: Required value: required when strategy is set to Webhook",
    ],
  },
  {
    title: "a conversion that is none",
    spec: { conversion: { strategy: "Foo" } },
    answer: [
      'FieldValueNotSupported spec.conversion.strategy: Unsupported value: "Foo": supported values: "None", "Webhook"',
    ],
  },
  {
    title: "unknown fields that are preserved",
    spec: { preserveUnknownFields: true },
    answer: [
      "FieldValueInvalid spec.preserveUnknownFields: Invalid value: true: cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead",
    ],
  },
  {
    title: "a protected group",
    name: "things.x.k8s.io",
    spec: { group: "x.k8s.io" },
    answer: [
      'FieldValueRequired metadata.annotations[api-approved.kubernetes.io]: Required value: protected groups must have approval annotation "api-approved.kubernetes.io", see https://github.com/kubernetes/enhancements/pull/1111',
    ],
  },
  {
    title: "a warning for a version that is not deprecated",
    version: { deprecationWarning: "x" },
    answer: [
      'FieldValueInvalid spec.versions[0].deprecationWarning: Invalid value: "x": can only be set for deprecated versions',
    ],
  },
  {
    title: "items and types that are none",
    properties: {
      spec: { type: "object", properties: { a: { type: "integer" } } },
      i: { "x-kubernetes-int-or-string": true, type: "string" },
      e: { "x-kubernetes-embedded-resource": true, type: "object" },
      e2: { "x-kubernetes-embedded-resource": true, type: "string" },
      n: { type: "null" },
      it: { type: "array", items: [{ type: "string" }] },
    },
    answer: [
      "FieldValueForbidden spec.validation.openAPIV3Schema.properties[it].items: Forbidden: items must be a schema object and not an array",
      "FieldValueForbidden spec.validation.openAPIV3Schema.properties[n].type: Forbidden: type cannot be set to null, use nullable as an alternative",
      'FieldValueNotSupported spec.validation.openAPIV3Schema.properties[n].type: Unsupported value: "null": supported values: "array", "boolean", "integer", "number", "object", "string"',
    ],
  },
  {
    title: "a default of the kind",
    properties: {
      spec: { type: "object", properties: { a: { type: "integer" } } },
      kind: { type: "string", default: "x" },
    },
    answer: [
      "FieldValueForbidden spec.validation.openAPIV3Schema.properties[kind].default: Forbidden: must not be set in top-level kind",
    ],
  },
];

describe("A definition of a custom resource", () => {
  it("is good when nothing is wrong", () => {
    assert.deepEqual(validateCustomResourceDefinition(definitionWith({})), []);
  });

  for (const { title, answer, ...change } of mistakes) {
    it(`is refused, as by kube-apiserver, for ${title}`, () => {
      const errors = validateCustomResourceDefinition(definitionWith(change));
      const causes = errors.map((error) => `${reasonOf(error)} ${error.field}: ${describeWithoutField(error)}`);
      assert.deepEqual(causes.sort(), answer);
    });
  }

  it("gets the names that its writer left out", () => {
    const { names, conversion } = definitionWith({}).spec;
    assert.deepEqual(
      { names, conversion },
      {
        names: { plural: "things", kind: "Thing", singular: "thing", listKind: "ThingList" },
        conversion: { strategy: "None" },
      },
    );
  });

  it("keeps its kind and scope once it is established", () => {
    const old = definitionWith({});
    old.status = { ...old.status, conditions: [{ type: "Established", status: "True" }] } as typeof old.status & object;
    const changed = definitionWith({ spec: { scope: "Cluster" } });
    const errors = validateCustomResourceDefinitionUpdate(changed, old);
    assert.deepEqual(errors, [
      { type: "invalid", field: "spec.scope", value: '"Cluster"', detail: "field is immutable" },
    ]);
  });

  it("is refused when its schema is nested deeper than anybody could read", () => {
    let nested: object = { type: "string" };
    for (let depth = 0; depth < 5000; depth++) nested = { type: "object", properties: { a: nested } };
    const definition = definitionWith({});
    const [version] = definition.spec.versions;
    assert.ok(version !== undefined);
    version.schema = { openAPIV3Schema: nested as never };
    assert.deepEqual(
      validateCustomResourceDefinition(definition).map(({ field, detail }) => ({ field, detail })),
      [{ field: "spec.validation.openAPIV3Schema", detail: "must not be nested deeper than 150 levels" }],
    );
  });
});
