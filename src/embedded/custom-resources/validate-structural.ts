import type { FieldError } from "../../core/api/field-error.ts";
import { areEqual, fieldOf, isJsonObject, type JsonObject } from "../../core/api/schema/json.ts";
import { forbidden, invalid, required } from "../../core/api/schema/refusals.ts";
import { compilePattern, isCompiled } from "../cel/re2.ts";

type Level = "root" | "item" | "field";

const intOrString = [{ type: "integer" }, { type: "string" }];

/** A schema says of every value of what type it is, so that the server can tell fields that it does not know. */
export function validateStructural(schema: JsonObject, path: string): FieldError[] {
  const errors = [
    ...validateSpine(schema, "root", path),
    ...validateComplete(schema, schema, { spine: path, nested: path }),
  ];
  const rank = (error: FieldError): string => `${error.field}: ${error.type}: ${error.detail}`;
  return errors.sort((one, other) => (rank(one) < rank(other) ? -1 : 1));
}

/** The part of the schema that is outside of allOf, anyOf, oneOf and not. */
function validateSpine(schema: JsonObject, level: Level, path: string): FieldError[] {
  const errors: FieldError[] = [];
  const type = textOf(schema, "type");
  const items = schemaOf(schema, "items");
  const isEmbedded = schema["x-kubernetes-embedded-resource"] === true;
  const isIntOrString = schema["x-kubernetes-int-or-string"] === true;
  const preserves = schema["x-kubernetes-preserve-unknown-fields"] === true;
  if (type === "array" && items === undefined) errors.push(required(`${path}.items`, "must be specified"));
  if (items !== undefined) errors.push(...validateSpine(items, "item", `${path}.items`));
  const properties = propertiesOf(schema);
  for (const [name, property] of properties) {
    errors.push(...validateSpine(property, "field", `${path}.properties[${name}]`));
  }
  const additional = schemaOf(schema, "additionalProperties");
  if (fieldOf(schema, "additionalProperties") !== undefined) {
    if (level === "root") errors.push(forbidden(`${path}.additionalProperties`, "must not be used at the root"));
    if (isEmbedded) {
      errors.push(
        forbidden(`${path}.additionalProperties`, "must not be used if x-kubernetes-embedded-resource is set"),
      );
    }
  }
  if (additional !== undefined) errors.push(...validateSpine(additional, "field", `${path}.additionalProperties`));
  if (isIntOrString && preserves) {
    const field = `${path}.x-kubernetes-preserve-unknown-fields`;
    errors.push(invalid(field, true, "must be false if x-kubernetes-int-or-string is true"));
  }
  if (isIntOrString && isEmbedded) {
    const field = `${path}.x-kubernetes-embedded-resource`;
    errors.push(invalid(field, true, "must be false if x-kubernetes-int-or-string is true"));
  }
  errors.push(...validateNested(schema, path, true));
  errors.push(...validateType(type, { level, path, isEmbedded, mayBeEmpty: isIntOrString || preserves }));
  if (level === "root" || isEmbedded) errors.push(...validateMeta(properties, level, path));
  if (isEmbedded && !preserves && properties.size === 0) {
    const detail =
      "must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields";
    errors.push(required(`${path}.properties`, detail));
  }
  return errors;
}

interface TypePlace {
  readonly level: Level;
  readonly path: string;
  readonly isEmbedded: boolean;
  readonly mayBeEmpty: boolean;
}

const emptyTypes: Readonly<Record<Level, string>> = {
  root: "must not be empty at the root",
  item: "must not be empty for specified array items",
  field: "must not be empty for specified object fields",
};

function validateType(type: string, { level, path, isEmbedded, mayBeEmpty }: TypePlace): FieldError[] {
  const field = `${path}.type`;
  const errors: FieldError[] = [];
  if (isEmbedded && type !== "object") {
    const detail = "must be object if x-kubernetes-embedded-resource is true";
    errors.push(type === "" ? required(field, detail) : invalid(field, type, detail));
  } else if (type === "" && !mayBeEmpty) errors.push(required(field, emptyTypes[level]));
  if (level === "root" && type !== "" && type !== "object")
    errors.push(invalid(field, type, "must be object at the root"));
  return errors;
}

function validateMeta(properties: ReadonlyMap<string, JsonObject>, level: Level, path: string): FieldError[] {
  const errors: FieldError[] = [];
  for (const name of ["kind", "apiVersion"]) {
    const type = textOf(properties.get(name) ?? { type: "string" }, "type");
    if (type !== "string") errors.push(invalid(`${path}.properties[${name}].type`, type, "must be string"));
  }
  const metadata = properties.get("metadata");
  if (metadata === undefined) return errors;
  const field = `${path}.properties[metadata]`;
  const type = textOf(metadata, "type");
  if (type !== "object") errors.push(invalid(`${field}.type`, type, "must be object"));
  if (level !== "root") return errors;
  const names = [...propertiesOf(metadata).keys()];
  const isPlain = Object.keys(metadata).every((name) => ["type", "properties", "default"].includes(name));
  if (!isPlain || names.some((name) => name !== "name" && name !== "generateName")) {
    const detail = "must not specify anything other than name and generateName, but metadata is implicitly specified";
    errors.push(forbidden(field, detail));
  }
  return errors;
}

/** The alternatives of a schema, which may only restrict what its spine says. */
function validateNested(schema: JsonObject, path: string, isSpine: boolean): FieldError[] {
  const errors: FieldError[] = [];
  const anyOf = schemasOf(schema, "anyOf");
  const mayName = isSpine && areEqual(anyOf, intOrString);
  for (const [index, alternative] of anyOf.entries()) {
    if (!mayName) errors.push(...validateAlternative(alternative, `${path}.anyOf[${index}]`));
  }
  for (const [index, alternative] of schemasOf(schema, "allOf").entries()) {
    const isIntOrString = isSpine && index === 0 && areEqual(fieldOf(alternative, "anyOf"), intOrString);
    const restricted = isIntOrString ? { ...alternative, anyOf: [] } : alternative;
    errors.push(...validateAlternative(restricted, `${path}.allOf[${index}]`));
  }
  for (const [index, alternative] of schemasOf(schema, "oneOf").entries()) {
    errors.push(...validateAlternative(alternative, `${path}.oneOf[${index}]`));
  }
  const not = schemaOf(schema, "not");
  if (not !== undefined) errors.push(...validateAlternative(not, `${path}.not`));
  const pattern = textOf(schema, "pattern");
  const compiled = compilePattern(pattern);
  if (pattern !== "" && !isCompiled(compiled)) {
    errors.push(
      invalid(`${path}.pattern`, pattern, `must be a valid regular expression, but isn't: ${compiled.error}`),
    );
  }
  return errors;
}

/** What only the spine may have, and how the server says so. */
const spineOnly: readonly (readonly [name: string, detail: string])[] = [
  ["type", "must be empty to be structural"],
  ["additionalProperties", "must be undefined to be structural"],
  ["default", "must be undefined to be structural"],
  ["title", "must be empty to be structural"],
  ["description", "must be empty to be structural"],
  ["nullable", "must be false to be structural"],
  ["x-kubernetes-preserve-unknown-fields", "must be false to be structural"],
  ["x-kubernetes-embedded-resource", "must be false to be structural"],
  ["x-kubernetes-int-or-string", "must be false to be structural"],
  ["x-kubernetes-list-map-keys", "must be empty to be structural"],
  ["x-kubernetes-list-type", "must be undefined to be structural"],
  ["x-kubernetes-map-type", "must be undefined to be structural"],
  ["x-kubernetes-validations", "must be empty to be structural"],
];

function validateAlternative(schema: JsonObject, path: string): FieldError[] {
  const errors = validateNested(schema, path, false);
  const items = schemaOf(schema, "items");
  if (items !== undefined) errors.push(...validateAlternative(items, `${path}.items`));
  const properties = propertiesOf(schema);
  for (const [name, property] of properties) {
    errors.push(...validateAlternative(property, `${path}.properties[${name}]`));
  }
  for (const [name, detail] of spineOnly) {
    if (isSet(fieldOf(schema, name))) errors.push(forbidden(`${path}.${name}`, detail));
  }
  if (properties.has("metadata")) {
    errors.push(forbidden(`${path}.properties[metadata]`, "must not be specified in a nested context"));
  }
  return errors;
}

function isSet(value: unknown): boolean {
  if (value === undefined || value === null || value === "" || value === false) return false;
  return !Array.isArray(value) || value.length > 0;
}

/** Every field that an alternative speaks of is also on the spine. */
function validateComplete(
  schema: JsonObject | undefined,
  spine: JsonObject | undefined,
  paths: { readonly spine: string; readonly nested: string },
): FieldError[] {
  if (schema === undefined) return [];
  if (spine === undefined) return [required(paths.spine, `because it is defined in ${paths.nested}`)];
  const errors: FieldError[] = [];
  const alternatives: [JsonObject, string][] = [];
  for (const kind of ["allOf", "anyOf", "oneOf"]) {
    for (const [index, each] of schemasOf(schema, kind).entries()) alternatives.push([each, `${kind}[${index}]`]);
  }
  const not = schemaOf(schema, "not");
  if (not !== undefined) alternatives.push([not, "not"]);
  for (const [each, place] of alternatives) {
    const nested = `${paths.nested}.${place}`;
    errors.push(...validateComplete(each, spine, { ...paths, nested }));
    const below = (suffix: string): { spine: string; nested: string } => {
      return { spine: `${paths.spine}.${suffix}`, nested: `${nested}.${suffix}` };
    };
    errors.push(...validateComplete(schemaOf(each, "items"), schemaOf(spine, "items"), below("items")));
    const known = propertiesOf(spine);
    for (const [name, property] of propertiesOf(each)) {
      errors.push(...validateCompleteField(property, known.get(name), below(`properties[${name}]`)));
    }
  }
  return errors;
}

/** The fields of an alternative have alternatives and fields of their own. */
function validateCompleteField(
  schema: JsonObject,
  spine: JsonObject | undefined,
  paths: { readonly spine: string; readonly nested: string },
): FieldError[] {
  // Wrapped, so that what the field itself lists is looked for on the spine too.
  if (spine === undefined) return [required(paths.spine, `because it is defined in ${paths.nested}`)];
  const errors = validateComplete(schema, spine, paths);
  const known = propertiesOf(spine);
  for (const [name, property] of propertiesOf(schema)) {
    const suffix = `properties[${name}]`;
    const below = { spine: `${paths.spine}.${suffix}`, nested: `${paths.nested}.${suffix}` };
    errors.push(...validateCompleteField(property, known.get(name), below));
  }
  return errors;
}

function textOf(schema: JsonObject, name: string): string {
  const value = fieldOf(schema, name);
  return typeof value === "string" ? value : "";
}

export function schemaOf(schema: JsonObject, name: string): JsonObject | undefined {
  const value = fieldOf(schema, name);
  return isJsonObject(value) ? value : undefined;
}

export function schemasOf(schema: JsonObject, name: string): JsonObject[] {
  const value = fieldOf(schema, name);
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}

export function propertiesOf(schema: JsonObject): ReadonlyMap<string, JsonObject> {
  const properties = fieldOf(schema, "properties");
  if (!isJsonObject(properties)) return new Map();
  return new Map(
    Object.keys(properties).flatMap((name) => {
      const property = properties[name];
      return isJsonObject(property) ? [[name, property] as const] : [];
    }),
  );
}
