import type { FieldError } from "../field-error.ts";
import { isJsonObject, type JsonObject } from "./json.ts";
import { childPath } from "./list-types.ts";
import { invalid, required } from "./refusals.ts";
import { type SchemaNode, valueSchemaOf } from "./schema-node.ts";

/** A resource within an object. */
export interface Embedded {
  readonly resource: JsonObject;
  /** As in `spec.template`. */
  readonly path: string;
}

/** All objects within the value that the schema calls resources, from the outside in. */
export function embeddedIn(schema: SchemaNode | undefined, value: unknown, path: string): Embedded[] {
  if (schema === undefined) return [];
  if (Array.isArray(value)) {
    return value.flatMap((item, index) => embeddedIn(schema.items, item, `${path}[${index}]`));
  }
  if (!isJsonObject(value)) return [];
  const below = Object.keys(value).flatMap((name) => {
    const property = schema.properties.get(name);
    if (property !== undefined) return embeddedIn(property, value[name], childPath(path, name));
    return embeddedIn(valueSchemaOf(schema), value[name], `${path}[${name}]`);
  });
  return schema.isEmbeddedResource ? [{ resource: value, path }, ...below] : below;
}

/** Objects that the schema calls resources say what they are. */
export function validateEmbedded(schema: SchemaNode, value: unknown, path: string): FieldError[] {
  return embeddedIn(schema, value, path).flatMap(validateResource);
}

function validateResource({ resource, path }: Embedded): FieldError[] {
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
