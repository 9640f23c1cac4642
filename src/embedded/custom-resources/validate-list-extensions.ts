import type { FieldError } from "../../core/api/field-error.ts";
import { fieldOf, type JsonObject } from "../../core/api/schema/json.ts";
import { forbidden, invalid, notSupported, required } from "../../core/api/schema/refusals.ts";
import { propertiesOf, schemaOf } from "./validate-structural.ts";

/** The extensions that say what a list or a map is: `x-kubernetes-list-type` and those that go with it. */
export function validateListExtensions(schema: JsonObject, path: string): FieldError[] {
  const errors: FieldError[] = [];
  const type = fieldOf(schema, "type") ?? "";
  const listType = fieldOf(schema, "x-kubernetes-list-type");
  const mapType = fieldOf(schema, "x-kubernetes-map-type");
  const listField = `${path}.x-kubernetes-list-type`;
  if (mapType !== undefined && type !== "object")
    errors.push(mustBe("object", "x-kubernetes-map-type", { type, path }));
  if (mapType !== undefined && mapType !== "atomic" && mapType !== "granular") {
    errors.push(notSupported(`${path}.x-kubernetes-map-type`, mapType, ["atomic", "granular"]));
  }
  if (listType !== undefined && type !== "array")
    errors.push(mustBe("array", "x-kubernetes-list-type", { type, path }));
  else if (listType === "set") errors.push(...validateSetItems(schema, path));
  if (listType !== undefined && listType !== "atomic" && listType !== "set" && listType !== "map") {
    errors.push(notSupported(listField, listType, ["atomic", "set", "map"]));
  }
  const keys = keysOf(schema);
  if (keys.length > 0 && listType !== "map") {
    const detail = "must be map if x-kubernetes-list-map-keys is non-empty";
    errors.push(listType === undefined ? required(listField, detail) : invalid(listField, listType, detail));
  }
  if (listType === "map") errors.push(...validateMapList(schema, keys, path));
  if (listType === "map" || listType === "set") errors.push(...validateItems(schema, { listType, keys, path }));
  return errors;
}

function keysOf(schema: JsonObject): readonly string[] {
  const keys = fieldOf(schema, "x-kubernetes-list-map-keys");
  return Array.isArray(keys) ? keys.filter((key) => typeof key === "string") : [];
}

function mustBe(type: string, extension: string, found: { readonly type: unknown; readonly path: string }): FieldError {
  const field = `${found.path}.type`;
  const detail = `must be ${type} if ${extension} is specified`;
  return found.type === "" ? required(field, detail) : invalid(field, found.type, detail);
}

/** The items of a set are compared as a whole. */
function validateSetItems(schema: JsonObject, path: string): FieldError[] {
  const items = schemaOf(schema, "items");
  if (items === undefined) return [];
  const detail = "must be atomic as item of a list with x-kubernetes-list-type=set";
  const itemListType = fieldOf(items, "x-kubernetes-list-type");
  if (items.type === "array" && itemListType !== undefined && itemListType !== "atomic") {
    return [invalid(`${path}.items.x-kubernetes-list-type`, itemListType, detail)];
  }
  if (items.type === "object" && fieldOf(items, "x-kubernetes-map-type") !== "atomic") {
    return [invalid(`${path}.items.x-kubernetes-map-type`, itemListType ?? null, detail)];
  }
  return [];
}

function validateMapList(schema: JsonObject, keys: readonly string[], path: string): FieldError[] {
  const errors: FieldError[] = [];
  const items = schemaOf(schema, "items");
  if (keys.length === 0) {
    errors.push(required(`${path}.x-kubernetes-list-map-keys`, "must not be empty if x-kubernetes-list-type is map"));
  }
  if (items === undefined) {
    return [...errors, required(`${path}.items`, "must have a schema if x-kubernetes-list-type is map")];
  }
  if (items.type !== "object") {
    const detail = "must be object if parent array's x-kubernetes-list-type is map";
    return [...errors, invalid(`${path}.items.type`, items.type ?? "", detail)];
  }
  const properties = propertiesOf(items);
  for (const [index, key] of keys.entries()) {
    const type = properties.get(key)?.type;
    if (!properties.has(key)) {
      const detail = "entries must all be names of item properties";
      errors.push(invalid(`${path}.x-kubernetes-list-map-keys`, keys, detail));
    } else if (type === "array" || type === "object") {
      const detail = "must be a scalar type if parent array's x-kubernetes-list-type is map";
      errors.push(invalid(`${path}.items.properties[${key}].type`, items.type, detail));
    }
    if (keys.indexOf(key) < index) {
      errors.push(invalid(`${path}.x-kubernetes-list-map-keys`, keys, "must not contain duplicate entries"));
    }
  }
  return errors;
}

interface ListPlace {
  readonly listType: string;
  readonly keys: readonly string[];
  readonly path: string;
}

function validateItems(schema: JsonObject, { listType, keys, path }: ListPlace): FieldError[] {
  const items = schemaOf(schema, "items");
  if (items === undefined) return [];
  const errors: FieldError[] = [];
  if (items.nullable === true) {
    errors.push(forbidden(`${path}.items.nullable`, `cannot be nullable when x-kubernetes-list-type is ${listType}`));
  }
  if (listType !== "map") return errors;
  const properties = propertiesOf(items);
  for (const key of keys) {
    const property = properties.get(key);
    if (property === undefined) continue;
    const field = `${path}.items.properties[${key}]`;
    const isRequired = Array.isArray(items.required) && items.required.includes(key);
    if (!isRequired && fieldOf(property, "default") === undefined) {
      const detail =
        "this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property";
      errors.push(required(`${field}.default`, detail));
    }
    if (property.nullable === true) {
      const detail = "this property is in x-kubernetes-list-map-keys, so it cannot be nullable";
      errors.push(forbidden(`${field}.nullable`, detail));
    }
  }
  return errors;
}
