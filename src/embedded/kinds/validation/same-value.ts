import { isDeepStrictEqual } from "node:util";
import type { FieldError } from "../../../core/api/field-error.ts";
import { invalid } from "../refusals.ts";

/** Equal as the API server compares: what is empty is the same as what is absent. */
export function isSameValue(a: unknown, b: unknown): boolean {
  return isDeepStrictEqual(withoutEmpty(a), withoutEmpty(b));
}

function withoutEmpty(value: unknown): unknown {
  if (Array.isArray(value)) return value.length === 0 ? undefined : value.map(withoutEmpty);
  if (typeof value !== "object" || value === null) return value ?? undefined;
  const kept = Object.entries(value).flatMap(([key, child]) => {
    const rest = withoutEmpty(child);
    return rest === undefined ? [] : [[key, rest]];
  });
  return kept.length === 0 ? undefined : Object.fromEntries(kept);
}

export function validateImmutable(value: unknown, old: unknown, field: string): FieldError[] {
  return isSameValue(value, old) ? [] : [invalid(field, value, "field is immutable")];
}
