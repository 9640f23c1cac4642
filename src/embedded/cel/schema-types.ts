import type { Environment } from "@marcbachmann/cel-js";
import { isJsonObject } from "../../core/api/schema/json.ts";
import { type SchemaNode, valueSchemaOf } from "../../core/api/schema/schema-node.ts";
import { isDate, isDateTime, parseDuration } from "../../core/api/schema/string-formats.ts";
import { goTypeOf } from "../go-type.ts";
import { celEnvironment } from "./cel-environment.ts";
import { celError } from "./cel-error.ts";
import { areSame } from "./list-functions.ts";

/** How CEL sees the values of a schema. */
export interface CelType {
  /** As in `list<string>`. */
  readonly name: string;
  /** From JSON; a BadValue where the value is none of the type. */
  readonly convert: (value: unknown) => unknown;
}

/** A value that is not of the type of its schema, which updates may leave as it is. Whoever reads it fails with this. */
export class BadValue {
  readonly message: string;

  constructor(message: string) {
    this.message = message;
    // The evaluator asks every value for its class before it does anything with it.
    Object.defineProperty(this, "constructor", {
      get: () => {
        throw celError(message);
      },
    });
  }
}

const text: CelType = {
  name: "string",
  convert: (value) => (typeof value === "string" ? value : expected("string", value)),
};

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
    const type = schema.isIntOrString ? intOrString : this.#declare(schema, isResourceRoot);
    if (type === undefined) return undefined;
    // Null has a type of its own in CEL; the checker would not let a text be compared with it.
    if (schema.isNullable) return { name: "dyn", convert: (value) => (value === null ? null : type.convert(value)) };
    const isNull = new BadValue("invalid data, got null for schema with nullable=false");
    return { name: type.name, convert: (value) => (value === null ? isNull : type.convert(value)) };
  }

  #declare(schema: SchemaNode, isResourceRoot: boolean): CelType | undefined {
    switch (schema.type) {
      case "string":
        return formatted.get(schema.format) ?? text;
      case "boolean":
        return { name: "bool", convert: (value) => (typeof value === "boolean" ? value : expected("bool", value)) };
      case "integer":
        return { name: "int", convert: (value) => (isInteger(value) ? BigInt(value) : expected("int", value)) };
      case "number":
        return { name: "double", convert: (value) => (typeof value === "number" ? value : expected("float", value)) };
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

  #list({ items }: SchemaNode): CelType | undefined {
    const type = items === undefined ? undefined : this.declare(items, items.isEmbeddedResource);
    if (type === undefined) return undefined;
    const convert = (value: unknown): unknown => {
      if (!Array.isArray(value))
        return new BadValue("invalid data, expected an array for the provided schema with type=array");
      return value.map((item) => type.convert(item));
    };
    return { name: `list<${type.name}>`, convert };
  }

  #map(schema: SchemaNode): CelType | undefined {
    const values = valueSchemaOf(schema);
    const type = values === undefined ? undefined : this.declare(values, values.isEmbeddedResource);
    if (type === undefined) return undefined;
    const convert = (value: unknown): unknown => {
      if (!isJsonObject(value)) return notMap();
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
      if (!isJsonObject(value)) return notMap();
      const object = new Fields();
      for (const [field, { source, type }] of fields) {
        if (Object.hasOwn(value, source)) object.set(field, type.convert(value[source]));
      }
      return object;
    };
    return { name, convert };
  }
}

const formatted: ReadonlyMap<string, CelType> = new Map([
  ["byte", ofText("bytes", (value) => Buffer.from(value, "base64"))],
  [
    "date",
    ofText("google.protobuf.Timestamp", (value) => (isDate(value) ? new Date(value) : malformed("date", value))),
  ],
  [
    "date-time",
    ofText("google.protobuf.Timestamp", (value) =>
      isDateTime(value) ? new Date(value) : malformed("date-time", value),
    ),
  ],
  ["duration", ofText("google.protobuf.Duration", readDuration)],
]);

const intOrString: CelType = {
  name: "dyn",
  convert: (value) => {
    if (isInteger(value)) return BigInt(value);
    if (typeof value === "string") return value;
    return new BadValue("invalid data, expected XIntOrString value to be either a string or integer");
  },
};

function ofText(name: string, read: (text: string) => unknown): CelType {
  return { name, convert: (value) => (typeof value === "string" ? read(value) : expected("string", value)) };
}

function readDuration(value: string): unknown {
  const nanoseconds = parseDuration(value);
  if (nanoseconds === undefined) return new BadValue(`Invalid duration ${value}: unable to parse ${value} as duration`);
  return toDuration({ text: `${nanoseconds}ns` });
}

function malformed(format: string, value: string): BadValue {
  return new BadValue(`Invalid ${format} formatted string ${value}`);
}

function expected(type: string, value: unknown): BadValue {
  return new BadValue(`invalid data, expected ${type}, got ${goTypeOf(value)}`);
}

function notMap(): BadValue {
  return new BadValue("invalid data, expected a map for the provided schema with type=object");
}

function isInteger(value: unknown): value is number {
  return Number.isInteger(value);
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
function escapeName(name: string): string | undefined {
  if (reserved.has(name)) return `__${name}__`;
  if (!/^[a-zA-Z_./-][a-zA-Z0-9_./-]*$/.test(name)) return undefined;
  return name.replace(/__|[./-]/g, (part) => escapes.get(part) ?? part);
}
