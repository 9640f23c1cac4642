import { customResourceDefinitions } from "./definitions/custom-resource-definitions.ts";
import { nameObject, openObject } from "./field.ts";
import { describeWithoutField } from "./field-error.ts";
import type { Problem } from "./problem.ts";
import { applyDefaults, dropStrayNulls } from "./schema/apply-defaults.ts";
import { copyJson, isJsonObject } from "./schema/json.ts";
import { readSchema, type SchemaNode } from "./schema/schema-node.ts";
import { type SchemaTools, validateValue } from "./schema/validate-value.ts";

/** Schemas by version and kind, as in `karpenter.sh/v1 NodePool`. */
const schemas: ReadonlyMap<string, SchemaNode> = new Map(
  customResourceDefinitions.flatMap(({ spec }) =>
    spec.versions.map(({ name, schema }) => [
      `${spec.group}/${name} ${spec.names.kind}`,
      readSchema(schema.openAPIV3Schema),
    ]),
  ),
);

/**
 * What an API server that has our definitions would refuse in a new object, for those who have no API server. Nothing
 * for objects that are not of our kinds.
 */
export function validateCustomResource(wire: unknown, tools: SchemaTools): readonly Problem[] {
  if (!isJsonObject(wire)) return [];
  const schema = schemas.get(`${wire.apiVersion} ${wire.kind}`);
  if (schema === undefined) return [];
  const { log } = openObject(wire, nameObject(wire, String(wire.kind)));
  if (!log.isEmpty) return log.problems;
  const value = copyJson(wire);
  dropStrayNulls(schema, value);
  applyDefaults(schema, value);
  const problems = validateValue(schema, { value, old: undefined }, tools).map((error) => {
    return { object: log.object, field: error.field, message: `is refused: ${describeWithoutField(error)}` };
  });
  return problems.filter((problem) => !isSaidInWords(problem, problems));
}

/** Where a rule says what to write, the pattern that says it to programs adds nothing. */
function isSaidInWords(problem: Problem, all: readonly Problem[]): boolean {
  if (!problem.message.includes(" in body should match ")) return false;
  const path = dotted(problem.field);
  return all.some(({ field, message }) => dotted(field) === path && !message.includes(" in body should match "));
}

/** Schemas write `labels.team` and rules `labels[team]`. */
function dotted(path: string): string {
  return path.replace(/\[([^\]]*)\]/g, ".$1");
}
