import { isJsonObject, type JsonObject } from "./json.ts";
import { type SchemaNode, valueSchemaOf } from "./schema-node.ts";

const metaFields = new Set(["apiVersion", "kind", "metadata"]);

/** Removes what the schema does not know, in place, and answers with the paths, sorted: `spec.foo`, `spec.list[0].bar`. */
export function prune(schema: SchemaNode, resource: unknown): string[] {
  const pruner = new Pruner();
  // The root of a resource has metadata whether or not the schema says so.
  pruner.prune({ ...schema, isEmbeddedResource: true }, resource, "");
  return pruner.unknown.sort();
}

/** As `prune`, for a part of an object, such as a default. */
export function pruneValue(schema: SchemaNode, value: unknown): string[] {
  const pruner = new Pruner();
  pruner.prune(schema, value, "");
  return pruner.unknown.sort();
}

class Pruner {
  readonly unknown: string[] = [];

  prune(schema: SchemaNode | undefined, value: unknown, path: string): void {
    if (schema === undefined) this.#clear(value, path);
    else if (Array.isArray(value)) {
      const preserves = schema.preservesUnknownFields;
      value.forEach((item, index) => {
        const place = `${path}[${index}]`;
        if (!preserves) this.prune(schema.items, item, place);
        else if (schema.items !== undefined) this.#preserve(schema.items, item, place);
      });
    } else if (isJsonObject(value)) this.#pruneObject(schema, value, path);
  }

  #pruneObject(schema: SchemaNode, value: JsonObject, path: string): void {
    for (const name of Object.keys(value)) {
      if (schema.isEmbeddedResource && metaFields.has(name)) continue;
      const place = path === "" ? name : `${path}.${name}`;
      const property = schema.properties.get(name);
      if (property !== undefined) this.prune(property, value[name], place);
      else if (schema.additionalProperties !== undefined) this.prune(valueSchemaOf(schema), value[name], place);
      else if (!schema.preservesUnknownFields) this.#drop(value, name, path);
    }
  }

  /** Below a list that preserves unknown fields its items do too, whatever their own schema says. */
  #preserve(schema: SchemaNode, value: unknown, path: string): void {
    this.prune({ ...schema, preservesUnknownFields: true }, value, path);
  }

  #drop(object: JsonObject, name: string, path: string): void {
    if (path !== "" || !metaFields.has(name)) this.unknown.push(path === "" ? name : `${path}.${name}`);
    delete object[name];
  }

  /** Where there is no schema, objects lose all their fields, also those within lists within lists. */
  #clear(value: unknown, path: string): void {
    const pending: [unknown, string][] = [[value, path]];
    for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
      const [current, place] = next;
      if (Array.isArray(current)) {
        for (const [index, item] of current.entries()) pending.push([item, `${place}[${index}]`]);
      } else if (isJsonObject(current)) for (const name of Object.keys(current)) this.#drop(current, name, place);
    }
  }
}
