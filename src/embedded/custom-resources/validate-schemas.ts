import type { CustomResourceDefinitionSpec } from "kubernetes-types/apiextensions/v1.js";
import type { FieldError } from "../../core/api/field-error.ts";
import { isJsonObject, type JsonObject } from "../../core/api/schema/json.ts";
import { forbidden, invalid } from "../../core/api/schema/refusals.ts";
import { readSchema } from "../../core/api/schema/schema-node.ts";
import { hasStatus, placed, schemaOfVersion } from "./definition.ts";
import { rememberByText } from "./remember-by-text.ts";
import { validateDefaults } from "./validate-defaults.ts";
import { validateOpenApiSchema } from "./validate-openapi-schema.ts";
import { validateStructural } from "./validate-structural.ts";

/** No honest schema is nested deeper, and the stack of whoever reads it is finite. */
const deepestSchema = 150;

/** What is wrong with the schemas of all versions. */
export const validateSchemas: (spec: CustomResourceDefinitionSpec) => readonly FieldError[] =
  rememberByText(judgeSchemas);

function judgeSchemas(spec: CustomResourceDefinitionSpec): readonly FieldError[] {
  const places = placed(spec, {
    read: schemaOfVersion,
    shared: "validation.openAPIV3Schema",
    own: "schema.openAPIV3Schema",
  });
  return places.flatMap(({ part: schema, field: path, version }) => {
    if (depthOf(schema) > deepestSchema)
      return [forbidden(path, `must not be nested deeper than ${deepestSchema} levels`)];
    const versions = version === undefined ? spec.versions : [version];
    const isStatusServed = versions.some(({ subresources }) => hasStatus(subresources));
    const errors = validateRoot(schema, path, isStatusServed);
    const structural = hasUnreadable(schema) ? [] : validateStructural(schema, path);
    const node = readSchema(schema);
    const defaults = structural.length > 0 ? [] : validateDefaults(node, path);
    errors.push(...structural, ...defaults);
    const isReadable = structural.length === 0 && defaults.length === 0 && !hasUnreadable(schema);
    const place = { schema, node: isReadable ? node : undefined, path, isRoot: true, isInsideMeta: false };
    return [...errors, ...validateOpenApiSchema(place)];
  });
}

/** Lists of schemas for items, and references, which structural schemas cannot have, are refused for themselves. */
function hasUnreadable(schema: JsonObject): boolean {
  const unreadable = ["id", "$ref", "$schema", "patternProperties", "dependencies", "additionalItems", "definitions"];
  return someSchema(schema, (each) => {
    return Array.isArray(each.items) || unreadable.some((name) => Object.hasOwn(each, name));
  });
}

function someSchema(schema: JsonObject, isSuch: (schema: JsonObject) => boolean): boolean {
  return isSuch(schema) || partsOf(schema).some((part) => someSchema(part, isSuch));
}

function partsOf(schema: JsonObject): JsonObject[] {
  const { items, additionalProperties, not, allOf, anyOf, oneOf, properties } = schema;
  const lists = [allOf, anyOf, oneOf].flatMap((list) => (Array.isArray(list) ? list : []));
  const fields = isJsonObject(properties) ? Object.values(properties) : [];
  return [items, additionalProperties, not, ...lists, ...fields].filter(isJsonObject);
}

function depthOf(schema: JsonObject): number {
  let level = [schema];
  let depth = 0;
  while (level.length > 0 && depth <= deepestSchema) {
    level = level.flatMap(partsOf);
    depth++;
  }
  return depth;
}

const rootFields = new Set(
  (
    "description type format title maximum exclusiveMaximum minimum exclusiveMinimum maxLength minLength pattern maxItems " +
    "minItems uniqueItems multipleOf required items properties externalDocs example x-kubernetes-preserve-unknown-fields " +
    "x-kubernetes-validations"
  ).split(" "),
);

function validateRoot(schema: JsonObject, path: string, isStatusServed: boolean): FieldError[] {
  const errors: FieldError[] = [];
  const stray = Object.keys(schema).find((name) => !rootFields.has(name));
  if (isStatusServed && stray !== undefined) {
    const names = [...rootFields].map(goName).join(" ");
    const detail = `only [${names}] fields are allowed at the root of the schema if the status subresource is enabled`;
    errors.push(invalid(path, schema, detail));
  } else if (isStatusServed && typeof schema.type === "string" && schema.type !== "object") {
    const detail =
      'only "object" is allowed as the type at the root of the schema if the status subresource is enabled';
    errors.push(invalid(`${path}.type`, schema.type, detail));
  }
  if (schema.nullable === true) errors.push(forbidden(`${path}.nullable`, "nullable cannot be true at the root"));
  return errors;
}

/** `x-kubernetes-validations` is XValidations. */
function goName(name: string): string {
  return name
    .replace(/^x-kubernetes-/, "X-")
    .split("-")
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join("");
}
