import type { CustomResourceDefinition } from "kubernetes-types/apiextensions/v1.js";
import { describeFieldError } from "../../core/api/field-error.ts";
import { readSchema, type SchemaNode } from "../../core/api/schema/schema-node.ts";
import type { OwnershipSchema } from "../api/patch/field-set.ts";
import { customResourceOf } from "../custom-resources/custom-resource.ts";
import type { ResourceDefinition } from "../kinds/resource-definition.ts";
import { isJsonObject, type JsonObject } from "../kube-object.ts";
import { type Decoded, DecodeError, decode } from "../schema/decode.ts";
import { structNamed } from "../schema/type-schema.ts";

/** One version of a custom resource, ready to be served. */
export function servedDefinition(definition: CustomResourceDefinition, version: string): ResourceDefinition {
  const resource = customResourceOf(definition, version);
  if (resource === undefined) throw new Error(`${definition.metadata?.name} has no version ${version}`);
  const { deprecationWarning } = resource;
  const listKind = definition.spec.names.listKind;
  return {
    ...resource.definition,
    decode: (value) => decodeCustom(value, resource),
    requiresVersion: true,
    openApiSchema: openApiSchema(resource.schema),
    ownership: ownershipOf(readSchema(resource.schema)),
    ...(listKind === undefined ? {} : { listKind }),
    ...(deprecationWarning === undefined ? {} : { warn: () => [deprecationWarning] }),
  };
}

const objectMeta = "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta";

/** Metadata is typed for all objects; the rest is what the schema knows. */
function decodeCustom(
  value: JsonObject,
  { coerce, prune }: Pick<NonNullable<ReturnType<typeof customResourceOf>>, "coerce" | "prune">,
): Decoded {
  const copy = structuredClone(value);
  const refusal = coerce(copy);
  if (refusal !== undefined) throw new DecodeError(describeFieldError(refusal));
  const unknownMeta: string[] = [];
  if (copy.metadata !== undefined && copy.metadata !== null) {
    const metadata = decode(structNamed(objectMeta), copy.metadata);
    copy.metadata = metadata.value;
    unknownMeta.push(...metadata.unknownFields.map((field) => `metadata.${field}`));
  }
  const unknownFields = [...unknownMeta, ...prune(copy)];
  return { value: copy, unknownFields };
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

function ownershipOf(node: SchemaNode): OwnershipSchema {
  if (node.type === "array") return ownershipOfList(node);
  if (node.type !== "object" && !node.preservesUnknownFields) return { kind: "leaf" };
  if (node.mapType === "atomic") return { kind: "leaf" };
  const rest = typeof node.additionalProperties === "object" ? node.additionalProperties : undefined;
  const untyped: OwnershipSchema = { kind: "object", field: () => untyped };
  return {
    kind: "object",
    field: (name) => {
      const child = node.properties.get(name) ?? rest;
      return child === undefined ? untyped : ownershipOf(child);
    },
  };
}

function ownershipOfList({ listType, listMapKeys, items }: SchemaNode): OwnershipSchema {
  if (listType === "set") return { kind: "set" };
  if (listType !== "map" || items === undefined) return { kind: "leaf" };
  const defaults = listMapKeys.flatMap((key) => {
    const found = items.properties.get(key)?.default;
    return found === undefined ? [] : [[key, found.value] as const];
  });
  return { kind: "keyed-list", keys: listMapKeys, items: ownershipOf(items), defaults: Object.fromEntries(defaults) };
}
