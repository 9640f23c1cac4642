import type { LabelSelector } from "kubernetes-types/meta/v1.js";
import type { FieldError } from "../../../core/api/field-error.ts";
import { forbidden, required } from "../../../core/api/schema/refusals.ts";
import { invalid, invalidForEach } from "../refusals.ts";
import { labelValueProblems, qualifiedNameProblems } from "../value-rules.ts";

export function validateLabelKey(key: string, field: string): FieldError[] {
  return invalidForEach(field, key, qualifiedNameProblems(key));
}

export function validateLabels(labels: Readonly<Record<string, string>> | undefined, field: string): FieldError[] {
  return Object.entries(labels ?? {}).flatMap(([key, value]) => [
    ...validateLabelKey(key, field),
    ...invalidForEach(field, value, labelValueProblems(value)),
  ]);
}

export function validateLabelSelector(selector: LabelSelector | undefined, field: string): FieldError[] {
  const errors = validateLabels(selector?.matchLabels, `${field}.matchLabels`);
  for (const [index, { key = "", operator, values = [] }] of (selector?.matchExpressions ?? []).entries()) {
    const path = `${field}.matchExpressions[${index}]`;
    errors.push(...validateOperator({ operator, values }, path), ...validateLabelKey(key, `${path}.key`));
    for (const [position, value] of values.entries()) {
      errors.push(...invalidForEach(`${path}.values[${position}]`, value, labelValueProblems(value)));
    }
  }
  return errors;
}

/** In and NotIn need values, Exists and DoesNotExist take none. */
function validateOperator(
  { operator = "", values }: { operator?: string; values: string[] },
  path: string,
): FieldError[] {
  if (operator === "In" || operator === "NotIn") {
    return values.length > 0
      ? []
      : [required(`${path}.values`, "must be specified when `operator` is 'In' or 'NotIn'")];
  }
  if (operator === "Exists" || operator === "DoesNotExist") {
    const detail = "may not be specified when `operator` is 'Exists' or 'DoesNotExist'";
    return values.length === 0 ? [] : [forbidden(`${path}.values`, detail)];
  }
  return [invalid(`${path}.operator`, operator, "not a valid selector operator")];
}

/** Whether a selector picks these labels; absent selects nothing, and one that makes no sense nothing either. */
export function selects(selector: LabelSelector | undefined, labels: Readonly<Record<string, string>>): boolean {
  if (selector === undefined) return false;
  const labelAt = (key: string): string | undefined => (Object.hasOwn(labels, key) ? labels[key] : undefined);
  const matchesAll = Object.entries(selector.matchLabels ?? {}).every(([key, value]) => labelAt(key) === value);
  return (
    matchesAll &&
    (selector.matchExpressions ?? []).every(({ key, operator, values = [] }) => {
      const value = labelAt(key);
      if (operator === "In") return value !== undefined && values.includes(value);
      if (operator === "NotIn") return value === undefined || !values.includes(value);
      return operator === "Exists" ? value !== undefined : value === undefined;
    })
  );
}

/** Whether a selector can be evaluated at all. */
export function isSensibleSelector(selector: LabelSelector | undefined): boolean {
  return validateLabelSelector(selector, "").length === 0;
}
