import type { CustomResourceDefinition } from "kubernetes-types/apiextensions/v1.js";
import { describeFieldError } from "../../core/api/field-error.ts";
import { copyJson, isJsonObject, type JsonObject } from "../../core/api/schema/json.ts";
import type { SchemaNode } from "../../core/api/schema/schema-node.ts";
import { type ObjectOwnership, type OwnershipSchema, ownershipOfType } from "../api/patch/ownership-schema.ts";
import { customResourceOf } from "../custom-resources/custom-resource.ts";
import { rememberByText } from "../custom-resources/remember-by-text.ts";
import type { ResourceDefinition } from "../kinds/resource-definition.ts";
import { type Decoded, decode } from "../schema/decode.ts";
import { DecodeError } from "../schema/decode-error.ts";
import { structNamed } from "../schema/type-schema.ts";

/** All that a served version depends on. */
export interface DefinitionSource {
  readonly name: string | undefined;
  readonly spec: CustomResourceDefinition["spec"];
  readonly acceptedNames: NonNullable<CustomResourceDefinition["status"]>["acceptedNames"];
}

/** The versions of a custom resource that are served, ready for it. */
export const servedDefinitions: (source: DefinitionSource) => readonly ResourceDefinition[] = rememberByText(
  ({ name = "", spec, acceptedNames }) => {
    const definition = { metadata: { name }, spec, status: { acceptedNames } } as CustomResourceDefinition;
    return spec.versions
      .filter((version) => version.served)
      .map((version) => servedDefinition(definition, version.name));
  },
);

function servedDefinition(definition: CustomResourceDefinition, version: string): ResourceDefinition {
  const resource = customResourceOf(definition, version);
  if (resource === undefined) throw new Error(`${definition.metadata?.name} has no version ${version}`);
  const { deprecationWarning } = resource;
  const listKind = definition.spec.names.listKind;
  return {
    ...resource.definition,
    decode: (value, repeated) => decodeCustom(value, resource, repeated),
    requiresVersion: true,
    openApiSchema: openApiSchema(resource.schema),
    ownership: ownershipOfObjects(resource.node),
    ...(listKind === undefined ? {} : { listKind }),
    ...(deprecationWarning === undefined ? {} : { warn: () => [deprecationWarning] }),
  };
}

const objectMeta = "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta";

/** Metadata is typed for all objects; the rest is what the schema knows. */
function decodeCustom(
  value: JsonObject,
  { coerce, prune }: Pick<NonNullable<ReturnType<typeof customResourceOf>>, "coerce" | "prune">,
  repeated: Iterable<string> = [],
): Decoded {
  const copy = copyJson(value) as JsonObject;
  const refusal = coerce(copy);
  if (refusal !== undefined) throw new DecodeError(describeFieldError(refusal));
  const complaints = [...repeated].map((field) => `duplicate field "${field}"`);
  if (copy.metadata !== undefined && copy.metadata !== null) {
    const metadata = decode(structNamed(objectMeta), copy.metadata);
    copy.metadata = metadata.value;
    complaints.push(...metadata.complaints.map((complaint) => complaint.replace('"', '"metadata.')));
  }
  complaints.push(...prune(copy).map((field) => `unknown field "${field}"`));
  return { value: copy, complaints };
}

function openApiSchema(schema: unknown): JsonObject {
  const own = isJsonObject(schema) ? schema : {};
  const properties = isJsonObject(own.properties) ? own.properties : {};
  return {
    type: "object",
    ...own,
    properties: {
      ...properties,
      apiVersion: { type: "string" },
      kind: { type: "string" },
      metadata: { allOf: [{ $ref: `#/components/schemas/${objectMeta}` }] },
    },
  };
}

/** Every object has metadata, whatever its schema says. */
function ownershipOfObjects(node: SchemaNode): OwnershipSchema {
  const own = ownershipOfObject(node);
  const text: OwnershipSchema = { kind: "scalar", type: "string" };
  const common = new Map([
    ["apiVersion", text],
    ["kind", text],
    ["metadata", ownershipOfType(objectMeta)],
  ]);
  return { ...own, field: (name) => common.get(name) ?? own.field(name) };
}

function ownershipOf(node: SchemaNode): OwnershipSchema {
  switch (node.type) {
    case "array":
      return ownershipOfList(node);
    case "string":
      return { kind: "scalar", type: "string" };
    case "integer":
    case "number":
      return { kind: "scalar", type: "numeric" };
    case "boolean":
      return { kind: "scalar", type: "boolean" };
    case "object":
      return ownershipOfObject(node);
    default:
      return node.isIntOrString ? { kind: "scalar", type: "any" } : { kind: "free" };
  }
}

function ownershipOfObject(node: SchemaNode): ObjectOwnership {
  const rest = typeof node.additionalProperties === "object" ? node.additionalProperties : undefined;
  const isOpen = node.preservesUnknownFields || node.additionalProperties === true;
  return {
    kind: "object",
    isAtomic: node.mapType === "atomic",
    hasNamedFields: rest === undefined,
    field: (name) => {
      const child = node.properties.get(name) ?? rest;
      if (child !== undefined) return ownershipOf(child);
      return isOpen ? { kind: "free" } : undefined;
    },
  };
}

function ownershipOfList({ listType, listMapKeys, items }: SchemaNode): OwnershipSchema {
  const defaults = listMapKeys.flatMap((key) => {
    const found = items?.properties.get(key)?.default;
    return found === undefined ? [] : [[key, found.value] as const];
  });
  return {
    kind: "list",
    relation: listType === "set" ? "set" : listType === "map" ? "keyed" : "atomic",
    keys: listMapKeys,
    items: items === undefined ? { kind: "free" } : ownershipOf(items),
    defaults: Object.fromEntries(defaults),
  };
}
