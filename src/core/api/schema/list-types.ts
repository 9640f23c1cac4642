import type { FieldError } from "../field-error.ts";
import { fieldOf, isJsonObject, type JsonObject, setField } from "./json.ts";
import { duplicate, invalid } from "./refusals.ts";
import { renderJson } from "./render-value.ts";
import { type SchemaNode, valueSchemaOf } from "./schema-node.ts";

/** Items of a list of type set, and keys of a list of type map, are there once. */
export function validateListTypes(schema: SchemaNode | undefined, value: unknown, path: string): FieldError[] {
  if (schema === undefined) return [];
  if (Array.isArray(value)) {
    const items = value.flatMap((item, index) => validateListTypes(schema.items, item, `${path}[${index}]`));
    return [...validateList(schema, value, path), ...items];
  }
  if (!isJsonObject(value)) return [];
  const ofValues = valueSchemaOf(schema);
  const names = Object.keys(value);
  return [
    ...(ofValues === undefined
      ? []
      : names.flatMap((name) => validateListTypes(ofValues, value[name], `${path}[${name}]`))),
    ...names.flatMap((name) => validateListTypes(schema.properties.get(name), value[name], childPath(path, name))),
  ];
}

export function childPath(path: string, name: string): string {
  return path === "" ? name : `${path}.${name}`;
}

function validateList(schema: SchemaNode, items: readonly unknown[], path: string): FieldError[] {
  if (schema.listType === "set") return repeatedIn(items).map((index) => duplicate(`${path}[${index}]`, items[index]));
  if (schema.listType !== "map") return [];
  const stray = items.findIndex((item) => item !== null && !isJsonObject(item));
  if (stray >= 0)
    return [invalid(`${path}[${stray}]`, items[stray], "must be an object for an array of list-type map")];
  const keys = items.map((item) => keysOf(schema, item));
  return repeatedIn(keys).map((index) => duplicate(`${path}[${index}]`, keys[index]));
}

function keysOf(schema: SchemaNode, item: unknown): JsonObject {
  const keys: JsonObject = {};
  if (!isJsonObject(item)) return keys;
  for (const name of schema.listMapKeys) {
    const value = fieldOf(item, name);
    if (value !== undefined) setField(keys, name, value);
  }
  return keys;
}

/** The second place of everything that is there more than once. */
function repeatedIn(items: readonly unknown[]): number[] {
  const counts = new Map<string, number>();
  return items.flatMap((item, index) => {
    const key = renderJson(item);
    const count = (counts.get(key) ?? 0) + 1;
    counts.set(key, count);
    return count === 2 ? [index] : [];
  });
}
