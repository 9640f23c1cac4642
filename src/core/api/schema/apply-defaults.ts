import { copyJson, isJsonObject, setField } from "./json.ts";
import { childOf, type SchemaNode, valueSchemaOf } from "./schema-node.ts";

/** Fills in defaults, in place; a null where none may be counts as left out. */
export function applyDefaults(schema: SchemaNode | undefined, value: unknown): void {
  if (schema === undefined) return;
  if (Array.isArray(value)) {
    if (schema.items === undefined) return;
    for (let index = 0; index < value.length; index++) {
      if (isStrayNull(schema.items, value[index])) value[index] = copyJson(schema.items.default?.value ?? null);
      applyDefaults(schema.items, value[index]);
    }
  } else if (isJsonObject(value)) {
    for (const [name, property] of schema.properties) {
      if (property.default === undefined) continue;
      const isLeftOut = !Object.hasOwn(value, name) || isStrayNull(property, value[name]);
      if (isLeftOut) setField(value, name, copyJson(property.default.value));
    }
    const ofValues = valueSchemaOf(schema);
    for (const name of Object.keys(value)) {
      const property = schema.properties.get(name);
      if (property === undefined && ofValues !== undefined && isStrayNull(ofValues, value[name])) {
        setField(value, name, copyJson(ofValues.default?.value ?? null));
      }
      applyDefaults(property ?? ofValues, value[name]);
    }
  }
}

/** Removes nulls from fields that may not be null and have no default, in place. */
export function dropStrayNulls(schema: SchemaNode | undefined, value: unknown): void {
  if (schema === undefined) return;
  if (Array.isArray(value)) for (const item of value) dropStrayNulls(schema.items, item);
  else if (isJsonObject(value)) {
    for (const name of Object.keys(value)) {
      const child = childOf(schema, name);
      if (child === undefined) continue;
      if (isStrayNull(child, value[name]) && child.default === undefined) delete value[name];
      else dropStrayNulls(child, value[name]);
    }
  }
}

function isStrayNull(schema: SchemaNode, value: unknown): boolean {
  return value === null && !schema.isNullable;
}
