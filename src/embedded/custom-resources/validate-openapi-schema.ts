import type { FieldError } from "../../core/api/field-error.ts";
import { resolveFieldPath } from "../../core/api/schema/field-path.ts";
import { fieldOf, isJsonObject, type JsonObject } from "../../core/api/schema/json.ts";
import { forbidden, invalid, notSupported, required } from "../../core/api/schema/refusals.ts";
import { type SchemaNode, type ValidationRule, valueSchemaOf } from "../../core/api/schema/schema-node.ts";
import { celRules } from "../cel/cel-rules.ts";
import { validateListExtensions } from "./validate-list-extensions.ts";
import { propertiesOf, schemaOf, schemasOf } from "./validate-structural.ts";

/** One schema within a definition. */
export interface SchemaPlace {
  readonly schema: JsonObject;
  /** The same, read; undefined where rules are not compiled: in alternatives, and in schemas that are not structural. */
  readonly node: SchemaNode | undefined;
  readonly path: string;
  readonly isRoot: boolean;
  readonly isInsideMeta: boolean;
  /** Why there may be no default here; undefined where there may. */
  readonly noDefaults?: string;
  /** Where around this the server cannot tell which old value belongs to which new one. */
  readonly uncorrelatable?: string;
}

interface Findings {
  readonly schema: FieldError[];
  readonly rules: FieldError[];
}

const types = ["array", "boolean", "integer", "number", "object", "string"];
const metaFields = new Set(["metadata", "kind", "apiVersion"]);

/** What the server demands of every schema of a definition, and that its rules compile. */
export function validateOpenApiSchema(place: SchemaPlace): FieldError[] {
  const findings: Findings = { schema: [], rules: [] };
  validate(place, findings);
  return [...findings.schema, ...findings.rules];
}

function validate(place: SchemaPlace, findings: Findings): void {
  const { schema, path } = place;
  const own: Findings = { schema: validateKeywords(place), rules: [] };
  for (const child of childrenOf(place)) validate(child, own);
  if (fieldOf(schema, "x-kubernetes-preserve-unknown-fields") === false) {
    own.schema.push(invalid(`${path}.x-kubernetes-preserve-unknown-fields`, false, "must be true or undefined"));
  }
  own.schema.push(...validateListExtensions(schema, path));
  own.schema.push(...validateRuleTexts(place));
  if (own.schema.length === 0 && place.node !== undefined) own.rules.push(...validateCompiledRules(place, place.node));
  findings.schema.push(...own.schema);
  findings.rules.push(...own.rules);
}

const unsupported: readonly string[] = [
  "id",
  "additionalItems",
  "patternProperties",
  "definitions",
  "dependencies",
  "$ref",
];

function validateKeywords({ schema, path, noDefaults, isInsideMeta }: SchemaPlace): FieldError[] {
  const errors: FieldError[] = [];
  const type = fieldOf(schema, "type");
  if (typeof type === "string" && type !== "" && !types.includes(type))
    errors.push(notSupported(`${path}.type`, type, types));
  if (fieldOf(schema, "default") !== undefined && noDefaults !== undefined) {
    errors.push(forbidden(`${path}.default`, `must not be set ${noDefaults}`));
  }
  for (const name of unsupported) {
    const value = fieldOf(schema, name);
    const isSet = value !== undefined && value !== "" && !(isJsonObject(value) && Object.keys(value).length === 0);
    if (isSet) errors.push(forbidden(`${path}.${name}`, `${name} is not supported`));
  }
  if (type === "null") {
    errors.push(forbidden(`${path}.type`, "type cannot be set to null, use nullable as an alternative"));
  }
  if (Array.isArray(fieldOf(schema, "items"))) {
    errors.push(forbidden(`${path}.items`, "items must be a schema object and not an array"));
  }
  if (isInsideMeta && schema["x-kubernetes-embedded-resource"] === true) {
    errors.push(forbidden(`${path}.x-kubernetes-embedded-resource`, "must not be used inside of resource meta"));
  }
  if (schema.uniqueItems === true) {
    const detail = "uniqueItems cannot be set to true since the runtime complexity becomes quadratic";
    errors.push(forbidden(`${path}.uniqueItems`, detail));
  }
  const additional = fieldOf(schema, "additionalProperties");
  if (additional !== undefined && additional !== true && propertiesOf(schema).size > 0) {
    errors.push(forbidden(`${path}.additionalProperties`, "additionalProperties and properties are mutual exclusive"));
  }
  return errors;
}

function childrenOf(place: SchemaPlace): SchemaPlace[] {
  const { schema, node, path, isInsideMeta } = place;
  const inherited = { ...place, isRoot: false };
  const children: SchemaPlace[] = [];
  const additional = schemaOf(schema, "additionalProperties");
  if (additional !== undefined) {
    const noDefaults = isInsideMeta ? { noDefaults: "inside additionalProperties applying to object metadata" } : {};
    const child = { schema: additional, node: valueSchemaOf(node), path: `${path}.additionalProperties` };
    children.push({ ...inherited, ...noDefaults, ...child });
  }
  for (const [name, property] of propertiesOf(schema)) {
    const isMeta = (place.isRoot || schema["x-kubernetes-embedded-resource"] === true) && metaFields.has(name);
    children.push({
      ...inherited,
      ...(isMeta && place.isRoot ? { noDefaults: `in top-level ${name}` } : {}),
      isInsideMeta: isInsideMeta || isMeta,
      schema: property,
      node: node?.properties.get(name),
      path: `${path}.properties[${name}]`,
    });
  }
  const not = schemaOf(schema, "not");
  if (not !== undefined) children.push({ ...inherited, schema: not, node: undefined, path: `${path}.not` });
  for (const kind of ["allOf", "oneOf", "anyOf"]) {
    for (const [index, each] of schemasOf(schema, kind).entries()) {
      children.push({ ...inherited, schema: each, node: undefined, path: `${path}.${kind}[${index}]` });
    }
  }
  const items = schemaOf(schema, "items");
  if (items !== undefined) {
    const isMapList = fieldOf(schema, "x-kubernetes-list-type") === "map";
    const uncorrelatable = isMapList ? {} : { uncorrelatable: place.uncorrelatable ?? path };
    children.push({ ...inherited, ...uncorrelatable, schema: items, node: node?.items, path: `${path}.items` });
  }
  return children;
}

const reasons = ["FieldValueDuplicate", "FieldValueForbidden", "FieldValueInvalid", "FieldValueRequired"];

function validateRuleTexts({ schema, node, path }: SchemaPlace): FieldError[] {
  return schemasOf(schema, "x-kubernetes-validations").flatMap((rule, index) => {
    const place = `${path}.x-kubernetes-validations[${index}]`;
    const errors: FieldError[] = [];
    const [text, message, messageExpression, fieldPath] = ["rule", "message", "messageExpression", "fieldPath"].map(
      (name) => {
        const value = fieldOf(rule, name);
        return typeof value === "string" ? value : "";
      },
    ) as [string, string, string, string];
    if (text.trim() === "") errors.push(required(`${place}.rule`, "rule is not specified"));
    else if (message !== "" && message.trim() === "") {
      errors.push(invalid(`${place}.message`, message, "must be non-empty if specified"));
    } else if (hasLineBreak(message.trim())) {
      errors.push(invalid(`${place}.message`, message, "must not contain line breaks"));
    } else if (hasLineBreak(text.trim()) && message.trim() === "") {
      errors.push(required(`${place}.message`, "message must be specified if rule contains line breaks"));
    }
    if (messageExpression !== "" && messageExpression.trim() === "") {
      errors.push(required(`${place}.messageExpression`, "messageExpression must be non-empty if specified"));
    }
    const reason = fieldOf(rule, "reason");
    if (typeof reason === "string" && !reasons.includes(reason)) {
      errors.push(notSupported(`${place}.reason`, reason, reasons));
    }
    if (fieldPath !== "" && fieldPath.trim() === "") {
      errors.push(invalid(`${place}.fieldPath`, fieldPath, "must be non-empty if specified"));
    }
    if (hasLineBreak(fieldPath)) errors.push(invalid(`${place}.fieldPath`, fieldPath, "must not contain line breaks"));
    if (fieldPath !== "" && node !== undefined && "error" in resolveFieldPath(fieldPath, node)) {
      errors.push(invalid(`${place}.fieldPath`, fieldPath, "must be a valid path"));
    }
    return errors;
  });
}

function hasLineBreak(text: string): boolean {
  return /[\n\r]/.test(text);
}

function validateCompiledRules(place: SchemaPlace, node: SchemaNode): FieldError[] {
  if (node.rules.length === 0) return [];
  const compiled = celRules.compile(node, place.isRoot || node.isEmbeddedResource);
  return node.rules.flatMap((rule, index) => {
    const field = `${place.path}.x-kubernetes-validations[${index}]`;
    const source = schemasOf(place.schema, "x-kubernetes-validations")[index] ?? {};
    const shown = renderRule(rule, source);
    const result = compiled[index] ?? {};
    const errors: FieldError[] = [];
    if (result.ruleError !== undefined) {
      errors.push({ type: "invalid", field: `${field}.rule`, value: shown, detail: result.ruleError });
    }
    if (result.messageError !== undefined) {
      errors.push({ type: "invalid", field: `${field}.messageExpression`, value: shown, detail: result.messageError });
    }
    if (result.rule?.usesOldSelf === true) {
      if (place.uncorrelatable !== undefined) {
        const detail = `oldSelf cannot be used on the uncorrelatable portion of the schema within ${place.uncorrelatable}`;
        errors.push(invalid(`${field}.rule`, rule.rule, detail));
      }
    } else if (fieldOf(source, "optionalOldSelf") !== undefined) {
      const detail = "may not be set if oldSelf is not used in rule";
      errors.push(invalid(`${field}.optionalOldSelf`, source.optionalOldSelf, detail));
    }
    return errors;
  });
}

/** As the server shows a rule: its own fields, in its own order. */
function renderRule({ rule, message, messageExpression, fieldPath }: ValidationRule, source: JsonObject): string {
  const shown = {
    Rule: rule,
    Message: message,
    MessageExpression: messageExpression,
    Reason: fieldOf(source, "reason") ?? null,
    FieldPath: fieldPath,
    OptionalOldSelf: fieldOf(source, "optionalOldSelf") ?? null,
  };
  return JSON.stringify(shown).replace(/[<>&]/g, (sign) => `\\u00${sign.charCodeAt(0).toString(16)}`);
}
