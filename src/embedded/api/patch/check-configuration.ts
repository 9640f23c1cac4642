import { isJsonObject } from "../../../core/api/schema/json.ts";
import { pathElement } from "./field-set.ts";
import { goText } from "./go-text.ts";
import { itemName } from "./owned-fields.ts";
import type { OwnershipSchema } from "./ownership-schema.ts";

/** What keeps a configuration from being applied: fields that there are none of, values of the wrong kind. */
export function configurationProblems(value: unknown, schema: OwnershipSchema, path = ""): string[] {
  if (value === null || value === undefined) return [];
  switch (schema.kind) {
    case "free":
      return [];
    case "scalar": {
      const problem = scalarProblem(value, schema.type);
      return problem === undefined ? [] : [`${path}: ${problem}`];
    }
    case "object":
      if (!isJsonObject(value)) return [`${path}: expected map, got &{${goText(value)}}`];
      return Object.entries(value).flatMap(([name, child]) => {
        const field = schema.field(name);
        if (field === undefined) return [`${path}.${name}: field not declared in schema`];
        return configurationProblems(child, field, `${path}.${name}`);
      });
    case "list": {
      if (!Array.isArray(value)) return [`${path}: expected list, got &{${goText(value)}}`];
      const seen = new Set<string>();
      return value.flatMap((item, i) => {
        const name = schema.relation === "atomic" ? `[${i}]` : pathElement(itemName(item, schema));
        const repeated = seen.has(name) ? [`${path}: duplicate entries for key ${name}`] : [];
        seen.add(name);
        return [...repeated, ...configurationProblems(item, schema.items, `${path}${name}`)];
      });
    }
  }
}

function scalarProblem(value: unknown, type: "string" | "numeric" | "boolean" | "any"): string | undefined {
  switch (type) {
    case "string":
      if (typeof value === "string") return undefined;
      return `expected string, got &value.valueUnstructured{Value:${goSyntax(value)}}`;
    case "numeric":
      return typeof value === "number" ? undefined : `expected numeric (int or float), got ${goType(value)}`;
    case "boolean":
      return typeof value === "boolean" ? undefined : `expected boolean, got &{${goText(value)}}`;
    case "any":
      return typeof value === "object" ? `expected any scalar, got &{${goText(value)}}` : undefined;
  }
}

function goType(value: unknown): string {
  if (Array.isArray(value)) return "[]interface {}";
  if (isJsonObject(value)) return "map[string]interface {}";
  if (typeof value === "number") return Number.isInteger(value) ? "int64" : "float64";
  return typeof value === "boolean" ? "bool" : typeof value;
}

/** As Go source would write it. */
function goSyntax(value: unknown): string {
  if (value === null) return "interface {}(nil)";
  if (Array.isArray(value)) return `[]interface {}{${value.map(goSyntax).join(", ")}}`;
  if (!isJsonObject(value)) return JSON.stringify(value);
  const keys = Object.keys(value).sort();
  return `map[string]interface {}{${keys.map((key) => `${JSON.stringify(key)}:${goSyntax(value[key])}`).join(", ")}}`;
}
