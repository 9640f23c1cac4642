import type { FieldError } from "../field-error.ts";
import { quote, renderValue } from "./render-value.ts";

/** How the API server names the object as a whole. */
export const wholeObject = "<nil>";

export function required(field: string, detail = ""): FieldError {
  return { type: "required", field, detail };
}

export function invalid(field: string, value: unknown, detail: string): FieldError {
  return { type: "invalid", field, value: renderValue(value), detail };
}

export function forbidden(field: string, detail: string): FieldError {
  return { type: "forbidden", field, detail };
}

export function duplicate(field: string, value: unknown): FieldError {
  return { type: "duplicate", field, value: renderValue(value), detail: "" };
}

export function notSupported(field: string, value: unknown, supported: readonly string[]): FieldError {
  const names = supported.map((name) => quote(name)).join(", ");
  return { type: "notSupported", field, value: renderValue(value), detail: `supported values: ${names}` };
}

export function tooLong(field: string, most: number): FieldError {
  return { type: "tooLong", field, detail: `may not be more than ${most} ${most === 1 ? "byte" : "bytes"}` };
}

export function tooMany(field: string, found: number, most: number): FieldError {
  const detail = `must have at most ${most} ${most === 1 ? "item" : "items"}`;
  return { type: "tooMany", field, value: String(found), detail };
}
