import type { ContractCase } from "../contract-case.ts";
import { inNamespace, resource, stage } from "../resource.ts";
import {
  definition,
  definitions,
  establish,
  groupOf,
  objectSchema,
  sizedSchema,
  widget,
} from "./custom-resource-stage.ts";

export const customResourceCases: readonly ContractCase[] = [
  inNamespace("crd-objects", "custom objects are created, read, listed, changed and deleted", async (api) => {
    const widgets = await establish(api, definition(api, sizedSchema));
    await widgets.create(widget(api, "one", { size: 2 }));
    await widgets.create(widget(api, "one", { size: 2 }));
    await widgets.get("one");
    await widgets.list();
    const { body } = await widgets.merge("one", { spec: { size: 3 } });
    await widgets.replace("one", { ...body, spec: { size: 4 } });
    await widgets.replace("one", widget(api, "one", { size: 5 }));
    await widgets.jsonPatch("one", [{ op: "replace", path: "/spec/size", value: 6 }]);
    await widgets.strategic("one", { spec: { size: 7 } });
    await widgets.apply("one", widget(api, "one", { size: 8 }), "?fieldManager=me&force=true");
    await widgets.create(widget(api, "two", { size: 1 }, { metadata: { generateName: "made-" } }));
    await widgets.list("?fieldSelector=metadata.name%3Done");
    await widgets.list("?fieldSelector=spec.size%3D1");
    await widgets.delete("one");
    await widgets.get("one");
  }),
  inNamespace("crd-defaults", "defaults of the schema are filled in, and unknown fields go", async (api) => {
    const widgets = await establish(api, definition(api, sizedSchema));
    await widgets.create(widget(api, "one", { size: 1 }));
    await widgets.create(
      widget(api, "two", { size: 1, color: null, nested: { other: 1 }, free: { any: { thing: 1 } } }),
    );
    await widgets.create({ ...widget(api, "three", { size: 1, unknown: 1 }), extra: { a: 1 } });
    await widgets.create({ ...widget(api, "four", { size: 1, unknown: 1 }), extra: 1 }, "?fieldValidation=Strict");
    await widgets.create(widget(api, "four", { size: 1, unknown: 1 }), "?fieldValidation=Ignore");
    await widgets.merge("one", { spec: { unknown: 2, nested: null } });
    await widgets.create({ ...widget(api, "five", { size: 1 }), metadata: { name: "five", unknown: "x" } });
  }),
  withSortedCauses("crd-validation", "every mistake in an object is named", async (api) => {
    const widgets = await establish(api, definition(api, sizedSchema));
    await widgets.create(widget(api, "one", { size: 11, color: "green", tags: ["A", "b", "c"] }));
    await widgets.create(widget(api, "one", {}));
    await widgets.create(widget(api, "one", { size: "two" }));
    await widgets.create(widget(api, "one", { size: 1.5 }));
    await widgets.create(widget(api, "one", { size: 1, tags: "a" }));
    await widgets.create(widget(api, "one", { size: 1, either: true }));
    await widgets.create(widget(api, "one", "text"));
    await widgets.create(widget(api, "one", null));
    await widgets.create(widget(api, "Bad_Name", { size: 1 }));
    await widgets.create({ ...widget(api, "one", { size: 1 }), kind: "Gadget" });
    await widgets.create({ ...widget(api, "one", { size: 1 }), apiVersion: "other.example.com/v1" });
    await widgets.create({ ...widget(api, "one", { size: 1 }), metadata: { name: "one", labels: { a: "not ok" } } });
    await widgets.create({ ...widget(api, "one", { size: 1 }), metadata: { name: "one", labels: { a: 1 } } });
    await widgets.create({ ...widget(api, "one", { size: 1 }), metadata: "text" });
    await widgets.create(widget(api, "one", { size: 1, either: "50%" }));
    await widgets.merge("one", { spec: { size: 0 } });
    await widgets.merge("one", { spec: { size: null } });
    await widgets.merge("one", { metadata: { labels: { a: "not ok" } } });
    await widgets.apply("one", widget(api, "one", { size: "two" }), "?fieldManager=me");
  }),
  withSortedCauses("crd-rules", "rules in CEL are checked, with their own messages", async (api) => {
    const rule = (text: string, more: object = {}) => ({ rule: text, ...more });
    const schema = objectSchema({
      properties: {
        low: { type: "integer" },
        high: { type: "integer" },
        fixed: {
          type: "string",
          maxLength: 9,
          "x-kubernetes-validations": [rule("self == oldSelf", { message: "fixed is fixed" })],
        },
        items: { type: "array", maxItems: 5, items: { type: "string", maxLength: 9 } },
      },
      "x-kubernetes-validations": [
        rule("!has(self.low) || !has(self.high) || self.low <= self.high", { message: "low is above high" }),
        rule("!has(self.items) || self.items.all(i, i.startsWith('x'))", {
          messageExpression: "self.items[0] + ' is a bad item'",
          fieldPath: ".items",
          reason: "FieldValueForbidden",
        }),
        rule("!has(self.low) || self.low != 13"),
        rule("has(self.fixed) == has(oldSelf.fixed)", { message: "fixed cannot come or go" }),
      ],
    });
    const widgets = await establish(api, definition(api, schema));
    await widgets.create(widget(api, "one", { low: 5, high: 1, items: ["a"] }));
    await widgets.create(widget(api, "one", { low: 13 }));
    await widgets.create(widget(api, "one", { low: 1, high: 2, fixed: "a", items: ["x1"] }));
    await widgets.merge("one", { spec: { fixed: "b" } });
    await widgets.merge("one", { spec: { fixed: null } });
    await widgets.merge("one", { spec: { low: 3 } });
    await widgets.merge("one", { spec: { low: 2 } });
  }),
  inNamespace("crd-status", "with a status subresource, spec and status are written apart", async (api) => {
    const schema = objectSchema(
      { properties: { size: { type: "integer" } } },
      { type: "object", properties: { ready: { type: "boolean" }, count: { type: "integer" } } },
    );
    const widgets = await establish(api, definition(api, schema, { version: { subresources: { status: {} } } }));
    const { body } = await widgets.create(widget(api, "one", { size: 1 }, { status: { ready: true } }));
    await widgets.merge("one/status", {
      status: { ready: true, count: 2 },
      spec: { size: 5 },
      metadata: { labels: { a: "b" } },
    });
    await widgets.merge("one", { status: { ready: false }, spec: { size: 6 } });
    await widgets.merge("one", { metadata: { annotations: { a: "b" } } });
    await widgets.replace("one/status", { ...body, status: { count: 1 } });
    await widgets.merge("one/status", { status: { count: "many" } });
    await widgets.merge("one/status", { status: { unknown: 1 } });
    await widgets.get("one/status");
    await widgets.get("one/scale");
    await widgets.apply(
      "one/status",
      widget(api, "one", undefined, { status: { count: 9 } }),
      "?fieldManager=me&force=true",
    );
  }),
  inNamespace("crd-no-status", "without a status subresource, status is a field like others", async (api) => {
    const widgets = await establish(api, definition(api, objectSchema({ properties: { size: { type: "integer" } } })));
    await widgets.create(widget(api, "one", { size: 1 }, { status: { ready: true } }));
    await widgets.merge("one", { status: { ready: false } });
    await widgets.merge("one/status", { status: { ready: true } });
    await widgets.get("one/status");
  }),
  inNamespace("crd-scale", "a custom resource can be scaled", async (api) => {
    const schema = objectSchema(
      { properties: { count: { type: "integer" } } },
      { type: "object", properties: { count: { type: "integer" }, selector: { type: "string" } } },
    );
    const scale = {
      specReplicasPath: ".spec.count",
      statusReplicasPath: ".status.count",
      labelSelectorPath: ".status.selector",
    };
    const widgets = await establish(api, definition(api, schema, { version: { subresources: { status: {}, scale } } }));
    await resource(stage(api), `${groupOf(api)}/v1/widgets`).create(widget(api, "one", { count: 1 }));
    await widgets.get("one/scale");
    await widgets.merge("one/status", { status: { count: 1, selector: "a=b" } });
    await widgets.merge("one/scale", { spec: { replicas: 4 } });
    await widgets.merge("one/scale", { spec: { replicas: -1 } });
    const { body } = await widgets.get("one/scale");
    await widgets.replace("one/scale", { ...body, spec: { replicas: 2 } });
    await resource(stage(api), `${groupOf(api)}/v1/widgets`).create(widget(api, "two"));
    await widgets.get("two/scale");
    await widgets.get("one");
  }),
  inNamespace("crd-columns", "a definition says how its objects are printed", async (api) => {
    const schema = objectSchema({
      properties: {
        size: { type: "integer" },
        name: { type: "string" },
        tags: { type: "array", items: { type: "string" } },
      },
    });
    const additionalPrinterColumns = [
      { name: "Size", type: "integer", jsonPath: ".spec.size" },
      { name: "Title", type: "string", jsonPath: ".spec.name", description: "Of the widget", priority: 1 },
      { name: "Tag", type: "string", jsonPath: ".spec.tags[*]" },
      { name: "Ready", type: "string", jsonPath: '.status.conditions[?(@.type=="Ready")].status' },
      { name: "Since", type: "date", jsonPath: ".metadata.creationTimestamp" },
      { name: "Wrong", type: "integer", jsonPath: ".spec.name" },
    ];
    const widgets = await establish(api, definition(api, schema, { version: { additionalPrinterColumns } }));
    const { create } = resource(stage(api), `${groupOf(api)}/v1/widgets`);
    await create(widget(api, "one", { size: 1, name: "first", tags: ["a", "b"] }));
    await create(widget(api, "two", {}, { status: { conditions: [{ type: "Ready", status: "True" }] } }));
    await widgets.list("", "application/json;as=Table;v=v1;g=meta.k8s.io");
    await widgets.list("", "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io");
  }),
  inNamespace("crd-default-columns", "without columns, name and age are printed", async (api) => {
    const widgets = await establish(api, definition(api, objectSchema({})));
    await resource(stage(api), `${groupOf(api)}/v1/widgets`).create(widget(api, "one"));
    await widgets.list("", "application/json;as=Table;v=v1;g=meta.k8s.io");
  }),
  inNamespace("crd-deletion", "with the definition its objects go", async (api) => {
    const widgets = await establish(api, definition(api, objectSchema({})));
    const { create } = resource(stage(api), `${groupOf(api)}/v1/widgets`);
    await create(widget(api, "one"));
    const watch = await api.watch(`${widgets.path}?watch=true`);
    await watch.take(1);
    const path = `/apis/${definitions}/widgets.${groupOf(api)}`;
    await stage(api).request({ method: "DELETE", path });
    await watch.take(1);
    await api.until({ path }, ({ status }) => status === 404);
    await api.until({ path: widgets.path }, ({ status }) => status === 404);
  }),
  inNamespace("crd-schema-update", "a new schema holds for what is written from then on", async (api) => {
    const before = definition(api, objectSchema({ properties: { size: { type: "integer" } } }));
    const widgets = await establish(api, before);
    await resource(stage(api), `${groupOf(api)}/v1/widgets`).create(widget(api, "one", { size: 20 }));
    const schema = objectSchema({
      properties: { size: { type: "integer", maximum: 10 }, color: { type: "string", default: "red" } },
    });
    const path = `/apis/${definitions}/widgets.${groupOf(api)}`;
    const changed = definition(api, schema).spec;
    await stage(api).request({ method: "PATCH", path, body: { spec: { versions: changed.versions } } });
    await api.until({ path: `${widgets.path}/one` }, ({ body }) => body.spec?.color === "red");
    await widgets.create(widget(api, "two", { size: 20 }));
    await widgets.merge("one", { metadata: { labels: { a: "b" } } });
    await widgets.merge("one", { spec: { size: 21 } });
    await widgets.merge("one", { spec: { size: 9 } });
  }),
];

function withSortedCauses(...args: Parameters<typeof inNamespace>): ContractCase {
  return { ...inNamespace(...args), sortsCauses: true };
}
