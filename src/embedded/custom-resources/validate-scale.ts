import type { FieldError } from "../../core/api/field-error.ts";
import { fieldOf, isJsonObject } from "../../core/api/schema/json.ts";
import { invalid } from "../../core/api/schema/refusals.ts";
import { isInt64, renderNumber } from "../../core/api/schema/render-value.ts";
import { goTypeOf } from "../go-type.ts";
import type { ScalePaths } from "../kinds/resource-definition.ts";

const mostReplicas = 2 ** 31 - 1;

/** What the scale subresource would read is of the right type; for a write of the status only that is looked at. */
export function validateScale(scale: ScalePaths | undefined, object: unknown, part: "whole" | "status"): FieldError[] {
  if (scale === undefined) return [];
  return [
    ...(part === "whole" ? validateReplicas(scale.specReplicas, object) : []),
    ...validateReplicas(scale.statusReplicas, object),
    ...(scale.labelSelector === undefined ? [] : validateSelector(scale.labelSelector, object)),
  ];
}

function validateReplicas(path: string, object: unknown): FieldError[] {
  const found = read(path, object);
  if ("error" in found) return [invalid(path, 0, found.error)];
  const { value } = found;
  if (value === undefined) return [];
  if (typeof value !== "number" || !isInt64(value)) return [invalid(path, 0, accessorError(path, value, "int64"))];
  if (value < 0) return [invalid(path, value, "should be a non-negative integer")];
  if (value > mostReplicas) return [invalid(path, value, `should be less than or equal to ${mostReplicas}`)];
  return [];
}

function validateSelector(path: string, object: unknown): FieldError[] {
  const found = read(path, object);
  if ("error" in found) return [invalid(path, "", found.error)];
  if (found.value === undefined || typeof found.value === "string") return [];
  return [invalid(path, "", accessorError(path, found.value, "string"))];
}

function read(path: string, object: unknown): { readonly value: unknown } | { readonly error: string } {
  let value: unknown = object;
  const names = path.replace(/^\./, "").split(".");
  for (const [index, name] of names.entries()) {
    if (value === null || value === undefined) return { value: undefined };
    if (!isJsonObject(value)) {
      const place = `.${names.slice(0, index + 1).join(".")}`;
      return { error: accessorError(place, value, "map[string]interface{}") };
    }
    value = fieldOf(value, name);
  }
  return { value };
}

function accessorError(path: string, value: unknown, type: string): string {
  return `${path} accessor error: ${renderGo(value)} is of the type ${value === null ? "<nil>" : goTypeOf(value)}, expected ${type}`;
}

/** The default notation of Go: lists in brackets without commas. */
function renderGo(value: unknown): string {
  if (value === null) return "<nil>";
  if (Array.isArray(value)) return `[${value.map(renderGo).join(" ")}]`;
  if (typeof value === "number") return renderNumber(value);
  if (!isJsonObject(value)) return String(value);
  const fields = Object.keys(value)
    .sort()
    .map((name) => `${name}:${renderGo(value[name])}`);
  return `map[${fields.join(" ")}]`;
}
