import type { Environment } from "@marcbachmann/cel-js";
import { isJsonObject } from "../../core/api/schema/json.ts";
import { type SchemaNode, valueSchemaOf } from "../../core/api/schema/schema-node.ts";
import { isDate, isDateTime, parseGoDuration } from "../../core/api/schema/string-formats.ts";
import { celEnvironment } from "./cel-environment.ts";
import { areSame } from "./list-functions.ts";

/** How CEL sees the values of a schema. */
export interface CelType {
  /** As in `list<string>`. */
  readonly name: string;
  /** From JSON; undefined where the value is none of the type. */
  readonly convert: (value: unknown) => unknown;
}

const text: CelType = { name: "string", convert: (value) => (typeof value === "string" ? value : undefined) };

const toDuration = celEnvironment.clone().registerVariable("text", "string").parse("duration(text)");

/** Declares the types of schemas in one environment. */
export class SchemaTypes {
  readonly #environment: Environment;
  #objects = 0;

  constructor(environment: Environment) {
    this.#environment = environment;
  }

  /** Undefined for what rules cannot see: values without a type. */
  declare(schema: SchemaNode, isResourceRoot: boolean): CelType | undefined {
    if (schema.isIntOrString) return { name: "dyn", convert: convertScalar };
    const type = this.#declare(schema, isResourceRoot);
    if (type === undefined || !schema.isNullable) return type;
    // Null has a type of its own in CEL; the checker would not let a text be compared with it.
    return { name: "dyn", convert: (value) => (value === null ? null : type.convert(value)) };
  }

  #declare(schema: SchemaNode, isResourceRoot: boolean): CelType | undefined {
    switch (schema.type) {
      case "string":
        return this.#text(schema.format);
      case "boolean":
        return { name: "bool", convert: (value) => (typeof value === "boolean" ? value : undefined) };
      case "integer":
        return { name: "int", convert: (value) => (Number.isInteger(value) ? BigInt(value as number) : undefined) };
      case "number":
        return { name: "double", convert: (value) => (typeof value === "number" ? value : undefined) };
      case "array":
        return this.#list(schema);
      case "object":
        return valueSchemaOf(schema) === undefined || isResourceRoot
          ? this.#object(schema, isResourceRoot)
          : this.#map(schema);
      default:
        return undefined;
    }
  }

  #text(format: string): CelType {
    switch (format) {
      case "byte":
        return {
          name: "bytes",
          convert: (value) => (typeof value === "string" ? Buffer.from(value, "base64") : undefined),
        };
      case "date":
        return {
          name: "google.protobuf.Timestamp",
          convert: (value) => (isText(value) && isDate(value) ? new Date(value) : undefined),
        };
      case "date-time":
        return {
          name: "google.protobuf.Timestamp",
          convert: (value) => (isText(value) && isDateTime(value) ? new Date(value) : undefined),
        };
      case "duration":
        return {
          name: "google.protobuf.Duration",
          convert: (value) =>
            isText(value) && parseGoDuration(value) !== undefined ? toDuration({ text: value }) : undefined,
        };
      default:
        return text;
    }
  }

  #list({ items }: SchemaNode): CelType | undefined {
    const type = items === undefined ? undefined : this.declare(items, items.isEmbeddedResource);
    if (type === undefined) return undefined;
    const convert = (value: unknown): unknown =>
      Array.isArray(value) ? value.map((item) => type.convert(item) ?? null) : undefined;
    return { name: `list<${type.name}>`, convert };
  }

  #map(schema: SchemaNode): CelType | undefined {
    const values = valueSchemaOf(schema);
    const type = values === undefined ? undefined : this.declare(values, values.isEmbeddedResource);
    if (type === undefined) return undefined;
    const convert = (value: unknown): unknown => {
      if (!isJsonObject(value)) return undefined;
      return new Map(Object.keys(value).map((name) => [name, type.convert(value[name])]));
    };
    return { name: `map<string, ${type.name}>`, convert };
  }

  #object(schema: SchemaNode, isResourceRoot: boolean): CelType {
    const fields = new Map<string, { readonly source: string; readonly type: CelType }>();
    for (const [source, property] of schema.properties) {
      const name = escapeName(source);
      const type = name === undefined ? undefined : this.declare(property, property.isEmbeddedResource);
      if (name !== undefined && type !== undefined) fields.set(name, { source, type });
    }
    if (isResourceRoot) {
      fields.set("kind", { source: "kind", type: text });
      fields.set("apiVersion", { source: "apiVersion", type: text });
      fields.set("metadata", { source: "metadata", type: this.#metadata() });
    }
    return this.#declareObject(fields);
  }

  #metadata(): CelType {
    return this.#declareObject(new Map(["name", "generateName"].map((source) => [source, { source, type: text }])));
  }

  #declareObject(fields: ReadonlyMap<string, { readonly source: string; readonly type: CelType }>): CelType {
    const name = `Object${++this.#objects}`;
    // A class of its own for each type, because the evaluator tells types apart by their classes.
    const Fields = class extends Map<string, unknown> {};
    const types = Object.fromEntries([...fields].map(([field, { type }]) => [field, type.name]));
    this.#environment.registerType(name, { ctor: Fields, fields: types });
    this.#environment.registerOperator(`${name} == ${name}`, areSame);
    const convert = (value: unknown): unknown => {
      if (!isJsonObject(value)) return undefined;
      const object = new Fields();
      for (const [field, { source, type }] of fields) {
        const converted = Object.hasOwn(value, source) ? type.convert(value[source]) : undefined;
        if (converted !== undefined) object.set(field, converted);
      }
      return object;
    };
    return { name, convert };
  }
}

function isText(value: unknown): value is string {
  return typeof value === "string";
}

function convertScalar(value: unknown): unknown {
  return Number.isInteger(value) ? BigInt(value as number) : value;
}

const reserved = new Set(
  "true false null in as break const continue else for function if import let loop package namespace return var void while".split(
    " ",
  ),
);

const escapes: ReadonlyMap<string, string> = new Map([
  ["__", "__underscores__"],
  [".", "__dot__"],
  ["-", "__dash__"],
  ["/", "__slash__"],
]);

/** The name of a field in CEL, whose identifiers have letters, digits and underscores only; undefined where there is none. */
export function escapeName(name: string): string | undefined {
  if (reserved.has(name)) return `__${name}__`;
  if (!/^[a-zA-Z_./-][a-zA-Z0-9_./-]*$/.test(name)) return undefined;
  return name.replace(/__|[./-]/g, (part) => escapes.get(part) ?? part);
}
