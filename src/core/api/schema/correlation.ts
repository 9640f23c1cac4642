import { areEqual, fieldOf, isJsonObject, type JsonObject } from "./json.ts";
import { childOf, type SchemaNode } from "./schema-node.ts";

/** A value beside what it was before the update, where the schema tells which old part belongs to which new one. */
export class Correlation {
  readonly schema: SchemaNode;
  readonly value: unknown;
  readonly old: unknown;
  #isUnchanged: boolean | undefined;
  #oldItems: MapList | undefined;

  constructor(schema: SchemaNode, value: unknown, old: unknown) {
    this.schema = schema;
    this.value = value;
    this.old = old;
  }

  /** Undefined for a field that is new or that the schema does not know. */
  key(name: string): Correlation | undefined {
    const { schema, value, old } = this;
    if (!isJsonObject(value) || !isJsonObject(old)) return undefined;
    const child = childOf(schema, name);
    if (child === undefined || !Object.hasOwn(value, name) || !Object.hasOwn(old, name)) return undefined;
    return new Correlation(child, value[name], old[name]);
  }

  /** Undefined unless the list is a map and had an item with the same keys. */
  index(index: number): Correlation | undefined {
    const { schema, value, old } = this;
    if (!Array.isArray(value) || !Array.isArray(old) || schema.items === undefined) return undefined;
    if (schema.listType !== "map" || schema.type !== "array") return undefined;
    this.#oldItems ??= new MapList(schema, old);
    const oldItem = this.#oldItems.find(value[index]);
    return oldItem === undefined ? undefined : new Correlation(schema.items, value[index], oldItem);
  }

  get isUnchanged(): boolean {
    this.#isUnchanged ??= this.#compare();
    return this.#isUnchanged;
  }

  /** Parts that the schema does not know, and so cannot correlate, count as changed. */
  #compare(): boolean {
    const { value, old } = this;
    if (Array.isArray(value)) {
      if (!Array.isArray(old) || value.length !== old.length) return false;
      if (this.schema.listType !== "map") return areEqual(value, old);
      return value.every((_, index) => this.index(index)?.isUnchanged ?? false);
    }
    if (!isJsonObject(value)) return value === old;
    if (!isJsonObject(old)) return false;
    const names = Object.keys(value);
    return names.length === Object.keys(old).length && names.every((name) => this.key(name)?.isUnchanged ?? false);
  }
}

/** Finds the items of a list of type map by their keys. */
export class MapList {
  readonly #keys: readonly string[];
  readonly #items = new Map<string, JsonObject>();

  constructor(schema: SchemaNode, items: unknown) {
    this.#keys = schema.type === "array" && schema.listType === "map" ? schema.listMapKeys : [];
    for (const item of Array.isArray(items) ? items : []) {
      const key = this.#keyOf(item);
      if (key !== undefined && !this.#items.has(key)) this.#items.set(key, item as JsonObject);
    }
  }

  find(item: unknown): JsonObject | undefined {
    const key = this.#keyOf(item);
    return key === undefined ? undefined : this.#items.get(key);
  }

  #keyOf(item: unknown): string | undefined {
    if (!isJsonObject(item) || this.#keys.length === 0) return undefined;
    const values = this.#keys.map((name) => fieldOf(item, name));
    const areScalars = values.every((value) => value !== undefined && value !== null && typeof value !== "object");
    return areScalars ? JSON.stringify(values) : undefined;
  }
}
