import { createHash } from "node:crypto";
import type { JsonObject } from "../../core/api/schema/json.ts";
import type { ResourceDefinition } from "../kinds/resource-definition.ts";
import { openApiDefinitions } from "../schema/type-schema.ts";
import { groupsOf } from "./discovery.ts";
import type { ResourceRegistry } from "./resource-registry.ts";

const indexes = new WeakMap<ResourceRegistry, { readonly revision: number; readonly index: JsonObject }>();

/** The index of OpenAPI documents, one for each group and version; made again when resources have come or gone. */
export function openApiIndex(registry: ResourceRegistry): JsonObject {
  const { revision } = registry;
  const known = indexes.get(registry);
  if (known?.revision === revision) return known.index;
  const index = makeIndex(registry);
  indexes.set(registry, { revision, index });
  return index;
}

function makeIndex(registry: ResourceRegistry): JsonObject {
  const paths = groupsOf(registry).flatMap(({ name, versions }) =>
    versions.flatMap((version) => {
      const path = documentPath(name, version);
      const document = openApiDocument(registry, name, version);
      if (document === undefined) return [];
      const hash = createHash("sha256").update(JSON.stringify(document)).digest("hex").toUpperCase();
      return [[path, { serverRelativeURL: `/openapi/v3/${path}?hash=${hash}` }] as const];
    }),
  );
  return { paths: Object.fromEntries(paths) };
}

function documentPath(group: string, version: string): string {
  return group === "" ? `api/${version}` : `apis/${group}/${version}`;
}

/** The schemas of a group and the paths by which kubectl sees that a PATCH checks fields. */
export function openApiDocument(registry: ResourceRegistry, group: string, version: string): JsonObject | undefined {
  const definitions = registry
    .all()
    .filter((definition) => definition.group === group && definition.version === version);
  if (definitions.length === 0) return undefined;
  const schemas: Record<string, unknown> = {};
  for (const definition of definitions) collectSchemas(definition, schemas);
  return {
    openapi: "3.0.0",
    info: { title: "Kubernetes", version: "v1.36.3" },
    paths: Object.fromEntries(definitions.map((definition) => [objectPath(definition), pathItem(definition)])),
    components: { schemas },
  };
}

function objectPath({ group, version, plural, isNamespaced }: ResourceDefinition): string {
  const prefix = `/${documentPath(group, version)}`;
  return isNamespaced ? `${prefix}/namespaces/{namespace}/${plural}/{name}` : `${prefix}/${plural}/{name}`;
}

function parameter(name: string): JsonObject {
  return { name, in: "query", schema: { type: "string", uniqueItems: true } };
}

function pathItem({ group, version, kind }: ResourceDefinition): JsonObject {
  const gvk = { group, version, kind };
  const writeParameters = ["dryRun", "fieldManager", "fieldValidation"].map(parameter);
  const operation = (action: string, parameters: JsonObject[]): JsonObject => ({
    parameters,
    responses: { 200: { description: "OK" } },
    "x-kubernetes-action": action,
    "x-kubernetes-group-version-kind": gvk,
  });
  return {
    get: operation("get", []),
    put: operation("put", writeParameters),
    delete: operation("delete", [parameter("dryRun")]),
    patch: operation("patch", [...writeParameters, parameter("force")]),
    parameters: [{ name: "name", in: "path", required: true, schema: { type: "string", uniqueItems: true } }],
  };
}

function collectSchemas(definition: ResourceDefinition, schemas: Record<string, unknown>): void {
  if (definition.typeName !== undefined) {
    collectType(definition.typeName, schemas);
    return;
  }
  const { group, version, kind } = definition;
  const name = `${group.split(".").reverse().join(".")}.${version}.${kind}`;
  schemas[name] = {
    ...definition.openApiSchema,
    "x-kubernetes-group-version-kind": [{ group, version, kind }],
  };
}

function collectType(name: string, schemas: Record<string, unknown>): void {
  const schema = openApiDefinitions[name];
  if (schema === undefined || Object.hasOwn(schemas, name)) return;
  schemas[name] = schema;
  for (const reference of JSON.stringify(schema).matchAll(/"#\/components\/schemas\/([^"]+)"/g)) {
    collectType(reference[1] ?? "", schemas);
  }
}
