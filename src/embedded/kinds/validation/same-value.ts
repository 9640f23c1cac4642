import type { FieldError } from "../../../core/api/field-error.ts";
import { invalid } from "../refusals.ts";

/** Equal as the API server compares: what is empty is the same as what is absent. */
export function isSameValue(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (!isBranch(a) || !isBranch(b)) return isEmpty(a) && isEmpty(b);
  if (Array.isArray(a) !== Array.isArray(b)) return isEmpty(a) && isEmpty(b);
  if (Array.isArray(a))
    return a.length === (b as unknown[]).length && a.every((item, i) => isSameValue(item, (b as unknown[])[i]));
  const [first, second] = [a as Record<string, unknown>, b as Record<string, unknown>];
  for (const key in first) if (!isSameValue(first[key], second[key])) return false;
  for (const key in second) if (!(key in first) && !isEmpty(second[key])) return false;
  return true;
}

function isBranch(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

function isEmpty(value: unknown): boolean {
  if (value === undefined || value === null) return true;
  if (Array.isArray(value)) return value.length === 0;
  return typeof value === "object" && Object.values(value).every(isEmpty);
}

export function validateImmutable(value: unknown, old: unknown, field: string): FieldError[] {
  return isSameValue(value, old) ? [] : [invalid(field, value, "field is immutable")];
}
