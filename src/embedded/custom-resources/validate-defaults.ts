import type { FieldError } from "../../core/api/field-error.ts";
import { copyJson } from "../../core/api/schema/json.ts";
import { pruneValue } from "../../core/api/schema/prune.ts";
import { invalid } from "../../core/api/schema/refusals.ts";
import type { SchemaNode } from "../../core/api/schema/schema-node.ts";
import { validateEmbedded } from "../../core/api/schema/validate-embedded.ts";
import { validateRules } from "../../core/api/schema/validate-rules.ts";
import { validateSchema } from "../../core/api/schema/validate-schema.ts";
import { celRules } from "../cel/cel-rules.ts";
import { matchesPattern } from "../cel/re2.ts";

/** Defaults are values that the schema itself accepts. */
export function validateDefaults(schema: SchemaNode, path: string): FieldError[] {
  const errors = schema.default === undefined ? [] : validateDefault(schema, schema.default.value, `${path}.default`);
  if (schema.items !== undefined) errors.push(...validateDefaults(schema.items, `${path}.items`));
  for (const [name, property] of schema.properties) {
    errors.push(...validateDefaults(property, `${path}.properties[${name}]`));
  }
  return errors;
}

function validateDefault(schema: SchemaNode, value: unknown, field: string): FieldError[] {
  const unknown = pruneValue(schema, copyJson(value));
  const pruned = unknown.length === 0 ? [] : [invalid(field, value, "must not have unknown fields")];
  return [...pruned, ...validateAgainst(schema, value, field)];
}

/** Rules are asked last, and only about what is of the right types. */
function validateAgainst(schema: SchemaNode, value: unknown, field: string): FieldError[] {
  const embedded = validateEmbedded(schema, value, field);
  if (embedded.length > 0) return embedded;
  const errors = validateSchema({ schema, value, root: field, matches: matchesPattern });
  if (errors.length > 0 || !schema.hasRules) return errors;
  const rules = { schema, value, path: field, correlation: undefined, evaluator: celRules, isResourceRoot: false };
  const asUpdate = validateRules({ ...rules, old: value });
  return asUpdate.length > 0 ? asUpdate : validateRules({ ...rules, old: undefined });
}
