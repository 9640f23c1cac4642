import type { FieldError } from "../../core/api/field-error.ts";
import { required } from "../../core/api/schema/refusals.ts";

export function invalid(field: string, value: unknown, detail: string): FieldError {
  return { type: "invalid", field, value: renderValue(value), detail };
}

export function duplicate(field: string, value: unknown): FieldError {
  return { type: "duplicate", field, value: renderValue(value), detail: "" };
}

export function notFound(field: string, value: unknown): FieldError {
  return { type: "notFound", field, value: renderValue(value), detail: "" };
}

export function notSupported(field: string, value: unknown, supported: readonly string[]): FieldError {
  const detail = supported.length === 0 ? "" : `supported values: ${supported.map((name) => quote(name)).join(", ")}`;
  return { type: "notSupported", field, value: renderValue(value), detail };
}

export function invalidForEach(field: string, value: unknown, problems: readonly string[]): FieldError[] {
  return problems.map((problem) => invalid(field, value, problem));
}

/** Refused unless it is one of the supported values; a missing one is required. */
export function checkChoice(field: string, value: string | undefined, supported: readonly string[]): FieldError[] {
  if (value === undefined || value === "") return [required(field)];
  return supported.includes(value) ? [] : [notSupported(field, value, supported)];
}

export function checkNotNegative(field: string, value: number | undefined): FieldError[] {
  return value !== undefined && value < 0 ? [invalid(field, value, "must be greater than or equal to 0")] : [];
}

/** As the API server writes values into messages. */
function renderValue(value: unknown): string {
  if (typeof value === "string") return quote(value);
  if (value === undefined) return "null";
  return JSON.stringify(sortKeys(value)).replace(/[<>&]/g, (sign) => `\\u00${sign.charCodeAt(0).toString(16)}`);
}

/** Maps are shown by key. Structures are shown in their own order, which is that of their writer here. */
function sortKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortKeys);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).map(([key, child]): [string, unknown] => [key, sortKeys(child)]);
  const isStructure = "matchLabels" in value || "matchExpressions" in value || /^[A-Z]/.test(entries[0]?.[0] ?? "");
  return Object.fromEntries(isStructure ? entries : entries.sort(([a], [b]) => (a < b ? -1 : 1)));
}

function quote(text: string): string {
  return JSON.stringify(text);
}
