import type { FieldError } from "../field-error.ts";
import { isJsonObject, type JsonObject } from "./json.ts";
import { childPath } from "./list-types.ts";
import { invalid, required } from "./refusals.ts";
import { type SchemaNode, valueSchemaOf } from "./schema-node.ts";

/** Objects that the schema calls resources say what they are. */
export function validateEmbedded(schema: SchemaNode | undefined, value: unknown, path: string): FieldError[] {
  if (schema === undefined) return [];
  if (Array.isArray(value)) {
    return value.flatMap((item, index) => validateEmbedded(schema.items, item, `${path}[${index}]`));
  }
  if (!isJsonObject(value)) return [];
  const own = schema.isEmbeddedResource ? validateResource(value, path) : [];
  const below = Object.keys(value).flatMap((name) => {
    const property = schema.properties.get(name);
    if (property !== undefined) return validateEmbedded(property, value[name], childPath(path, name));
    return validateEmbedded(valueSchemaOf(schema), value[name], `${path}[${name}]`);
  });
  return [...own, ...below];
}

function validateResource(resource: JsonObject, path: string): FieldError[] {
  const missing = ["apiVersion", "kind"].filter((name) => !Object.hasOwn(resource, name));
  return [
    ...missing.map((name) => required(childPath(path, name))),
    ...(missing.includes("apiVersion") ? [] : validateVersion(resource.apiVersion, childPath(path, "apiVersion"))),
    ...(missing.includes("kind") ? [] : validateKind(resource.kind, childPath(path, "kind"))),
  ];
}

function validateVersion(version: unknown, field: string): FieldError[] {
  if (typeof version !== "string") return [invalid(field, version, "must be a string")];
  if (version === "") return [invalid(field, version, "must not be empty")];
  if (version.split("/").length <= 2) return [];
  return [invalid(field, version, `unexpected GroupVersion string: ${version}`)];
}

const label1035 = "[a-z]([-a-z0-9]*[a-z0-9])?";

function validateKind(kind: unknown, field: string): FieldError[] {
  if (typeof kind !== "string") return [invalid(field, kind, "must be a string")];
  if (kind === "") return [invalid(field, kind, "must not be empty")];
  const problems = kind.length > 63 ? ["must be no more than 63 characters"] : [];
  if (kind.length > 10_000 || !/^[a-z](?:[-a-z0-9]*[a-z0-9])?$/.test(kind.toLowerCase())) {
    const rule = "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic";
    const rest = `character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '${label1035}')`;
    problems.push(`${rule} ${rest}`);
  }
  if (problems.length === 0) return [];
  return [invalid(field, kind, `may have mixed case, but should otherwise match: ${problems.join(",")}`)];
}

/** What keeps the server from decoding a resource within the object at all: the first type that is wrong in its metadata. */
export function refuseEmbedded(schema: SchemaNode | undefined, value: unknown, path: string): FieldError | undefined {
  if (schema === undefined) return undefined;
  if (Array.isArray(value)) {
    return firstOf(value.entries(), ([index, item]) => refuseEmbedded(schema.items, item, `${path}[${index}]`));
  }
  if (!isJsonObject(value)) return undefined;
  return firstOf(Object.keys(value), (name) => {
    const field = childPath(path, name);
    const wrong = schema.isEmbeddedResource ? refuseMeta(name, value[name], field) : undefined;
    if (wrong !== undefined) return wrong;
    const property = schema.properties.get(name);
    if (property !== undefined) return refuseEmbedded(property, value[name], field);
    return refuseEmbedded(valueSchemaOf(schema), value[name], `${path}[${name}]`);
  });
}

function firstOf<T>(items: Iterable<T>, find: (item: T) => FieldError | undefined): FieldError | undefined {
  for (const item of items) {
    const found = find(item);
    if (found !== undefined) return found;
  }
  return undefined;
}

function refuseMeta(name: string, value: unknown, field: string): FieldError | undefined {
  if (name === "apiVersion" || name === "kind") {
    return typeof value === "string" ? undefined : invalid(field, value, "must be a string");
  }
  if (name !== "metadata" || value === null || isJsonObject(value)) return undefined;
  const found = Array.isArray(value) ? "array" : typeof value === "boolean" ? "bool" : typeof value;
  return invalid(field, value, `json: cannot unmarshal ${found} into Go value of type v1.ObjectMeta`);
}
