import { fieldOf, isJsonObject, type JsonObject } from "./json.ts";

/** One rule of `x-kubernetes-validations`. */
export interface ValidationRule {
  readonly rule: string;
  readonly message: string;
  readonly messageExpression: string;
  readonly reason: string;
  /** As written, as in `.spec.replicas`. */
  readonly fieldPath: string;
  readonly optionalOldSelf: boolean;
}

/** A structural schema, read once so that nothing has to be looked up, or doubted, while objects are validated. */
export interface SchemaNode {
  /** "" where the schema names none. */
  readonly type: string;
  /** What the value may be: none for anything, two for an int-or-string. */
  readonly types: readonly string[];
  /** As written. */
  readonly format: string;
  /** "" unless the server checks this format for this type. */
  readonly checkedFormat: string;
  readonly isNullable: boolean;
  readonly isIntOrString: boolean;
  readonly isEmbeddedResource: boolean;
  readonly preservesUnknownFields: boolean;
  readonly default?: { readonly value: unknown };
  readonly properties: ReadonlyMap<string, SchemaNode>;
  /** True or false where the schema only says whether other fields are allowed. */
  readonly additionalProperties?: SchemaNode | boolean;
  readonly items?: SchemaNode;
  readonly required: readonly string[];
  readonly enum: readonly unknown[];
  readonly pattern: string;
  readonly limits: Limits;
  readonly isUnique: boolean;
  readonly allOf: readonly SchemaNode[];
  readonly anyOf: readonly SchemaNode[];
  readonly oneOf: readonly SchemaNode[];
  readonly not?: SchemaNode;
  readonly listType: string;
  readonly listMapKeys: readonly string[];
  readonly mapType: string;
  readonly rules: readonly ValidationRule[];
  /** Whether this or anything below has rules; what stands in allOf, anyOf, oneOf and not does not count. */
  readonly hasRules: boolean;
}

export interface Limits {
  readonly maximum?: number;
  readonly isMaximumExclusive: boolean;
  readonly minimum?: number;
  readonly isMinimumExclusive: boolean;
  readonly multipleOf?: number;
  readonly maxLength?: number;
  readonly minLength?: number;
  readonly maxItems?: number;
  readonly minItems?: number;
  readonly maxProperties?: number;
  readonly minProperties?: number;
}

/** Reads an `openAPIV3Schema`. Fields of wrong types are as good as absent: the decoder of definitions refuses those. */
export function readSchema(schema: unknown): SchemaNode {
  const source = isJsonObject(schema) ? schema : {};
  const type = text(source, "type");
  const isIntOrString = fieldOf(source, "x-kubernetes-int-or-string") === true;
  const types = isIntOrString ? ["integer", "string"] : type === "" ? [] : [type];
  const format = text(source, "format");
  const properties = readProperties(fieldOf(source, "properties"));
  const additionalProperties = readAdditional(fieldOf(source, "additionalProperties"));
  const items = fieldOf(source, "items");
  const itemsNode = isJsonObject(items) ? readSchema(items) : undefined;
  const not = fieldOf(source, "not");
  const rules = list(source, "x-kubernetes-validations").filter(isJsonObject).map(readRule);
  const children = [...properties.values(), itemsNode, additionalProperties];
  return {
    type,
    types,
    format,
    checkedFormat: isCheckedFormat(types, format) ? format : "",
    isNullable: fieldOf(source, "nullable") === true,
    isIntOrString,
    isEmbeddedResource: fieldOf(source, "x-kubernetes-embedded-resource") === true,
    preservesUnknownFields: fieldOf(source, "x-kubernetes-preserve-unknown-fields") === true,
    ...optional("default", readDefault(source)),
    properties,
    ...optional("additionalProperties", additionalProperties),
    ...optional("items", itemsNode),
    required: texts(source, "required"),
    enum: list(source, "enum"),
    pattern: text(source, "pattern"),
    limits: readLimits(source),
    isUnique: fieldOf(source, "uniqueItems") === true,
    allOf: list(source, "allOf").map(readSchema),
    anyOf: list(source, "anyOf").map(readSchema),
    oneOf: list(source, "oneOf").map(readSchema),
    ...optional("not", isJsonObject(not) ? readSchema(not) : undefined),
    listType: text(source, "x-kubernetes-list-type"),
    listMapKeys: texts(source, "x-kubernetes-list-map-keys"),
    mapType: text(source, "x-kubernetes-map-type"),
    rules,
    hasRules: rules.length > 0 || children.some((child) => typeof child === "object" && child.hasRules),
  };
}

/** The schema of what a field of an object holds. */
export function childOf(node: SchemaNode | undefined, name: string): SchemaNode | undefined {
  return node?.properties.get(name) ?? valueSchemaOf(node);
}

/** The schema of the values of a map. */
export function valueSchemaOf(node: SchemaNode | undefined): SchemaNode | undefined {
  return typeof node?.additionalProperties === "object" ? node.additionalProperties : undefined;
}

function readProperties(properties: unknown): ReadonlyMap<string, SchemaNode> {
  if (!isJsonObject(properties)) return new Map();
  return new Map(Object.keys(properties).map((name) => [name, readSchema(properties[name])]));
}

function readAdditional(additional: unknown): SchemaNode | boolean | undefined {
  if (typeof additional === "boolean") return additional;
  return isJsonObject(additional) ? readSchema(additional) : undefined;
}

function readDefault(source: JsonObject): { readonly value: unknown } | undefined {
  const value = fieldOf(source, "default");
  return value === undefined || value === null ? undefined : { value };
}

function readRule(rule: JsonObject): ValidationRule {
  return {
    rule: text(rule, "rule"),
    message: text(rule, "message"),
    messageExpression: text(rule, "messageExpression"),
    reason: text(rule, "reason"),
    fieldPath: text(rule, "fieldPath"),
    optionalOldSelf: fieldOf(rule, "optionalOldSelf") === true,
  };
}

function readLimits(source: JsonObject): Limits {
  return {
    isMaximumExclusive: fieldOf(source, "exclusiveMaximum") === true,
    isMinimumExclusive: fieldOf(source, "exclusiveMinimum") === true,
    ...optional("maximum", number(source, "maximum")),
    ...optional("minimum", number(source, "minimum")),
    ...optional("multipleOf", number(source, "multipleOf")),
    ...optional("maxLength", number(source, "maxLength")),
    ...optional("minLength", number(source, "minLength")),
    ...optional("maxItems", number(source, "maxItems")),
    ...optional("minItems", number(source, "minItems")),
    ...optional("maxProperties", number(source, "maxProperties")),
    ...optional("minProperties", number(source, "minProperties")),
  };
}

function optional<Name extends string, Value>(name: Name, value: Value | undefined): { [N in Name]?: Value } {
  return value === undefined ? {} : ({ [name]: value } as { [N in Name]?: Value });
}

function text(source: JsonObject, name: string): string {
  const value = fieldOf(source, name);
  return typeof value === "string" ? value : "";
}

function number(source: JsonObject, name: string): number | undefined {
  const value = fieldOf(source, name);
  return typeof value === "number" ? value : undefined;
}

function list(source: JsonObject, name: string): readonly unknown[] {
  const value = fieldOf(source, name);
  return Array.isArray(value) ? value : [];
}

function texts(source: JsonObject, name: string): readonly string[] {
  return list(source, name).filter((value) => typeof value === "string");
}

const stringFormats = new Set(
  (
    "bsonobjectid uri email hostname ipv4 ipv6 cidr mac uuid uuid3 uuid4 uuid5 isbn isbn10 isbn13 creditcard ssn " +
    "hexcolor rgbcolor byte password date duration datetime k8sshortname k8slongname"
  ).split(" "),
);

/** Formats that the server knows for the type; it ignores all others. */
function isCheckedFormat(types: readonly string[], format: string): boolean {
  const type = types.length === 1 ? types[0] : "";
  switch (type) {
    case "":
    case "string":
      return stringFormats.has(format.replaceAll("-", ""));
    case "integer":
      return format === "int32" || format === "int64";
    case "number":
      return format === "float" || format === "double";
    default:
      return false;
  }
}
