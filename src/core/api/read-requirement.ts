import { integerOf } from "../model/integer.ts";
import {
  capacityTypeLabel,
  isLabelValue,
  isQualifiedName,
  isRestrictedLabel,
  normalizeLabelKey,
} from "../model/labels.ts";
import type { RequirementEntry } from "../model/requirement-entries.ts";
import type { RequirementOperator } from "../model/requirements.ts";
import { type Field, quote } from "./field.ts";
import { checkQualifiedName, labelValueGrammar } from "./read-labels.ts";

const operators: readonly RequirementOperator[] = ["In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt", "Gte", "Lte"];
export const capacityTypes: readonly string[] = ["on-demand", "spot", "reserved"];

/**
 * One entry of a requirements or matchExpressions list, with old spellings of its key replaced. Undefined, with the
 * problem noted, for one without a meaning.
 */
export function readRequirement(item: Field): RequirementEntry | undefined {
  const key = normalizeLabelKey(item.at("key").requiredText());
  const operator = item.at("operator").choice(operators);
  const valuesField = item.at("values");
  const values = valuesField.texts();
  if (operator === undefined) {
    if (item.at("operator").isAbsent) item.at("operator").reject(`must be one of ${operators.join(", ")}`);
    return undefined;
  }
  if (key === "") return undefined;
  if (operator === "In" && values.length === 0) {
    valuesField.note("must have at least one value for operator In");
    return undefined;
  }
  if (comparesNumbers(operator) && !isOneInteger(values)) {
    valuesField.note(`must be exactly one whole number for operator ${operator}, found ${listOf(values)}`);
    return undefined;
  }
  return { key, operator, values, minValues: item.at("minValues").integer(1, 50) };
}

/** The length is looked at first, because making a number of a million digits takes its time. */
function isOneInteger(values: readonly string[]): boolean {
  const [value = "", ...others] = values;
  return others.length === 0 && value.length <= 20 && integerOf(value) !== undefined;
}

export function comparesNumbers(operator: RequirementOperator): operator is "Gt" | "Lt" | "Gte" | "Lte" {
  return operator === "Gt" || operator === "Lt" || operator === "Gte" || operator === "Lte";
}

/** What Karpenter demands of a requirement that it is to fulfil with a machine, beyond it making sense. */
export function checkRequirement(item: Field, { key, operator, values }: RequirementEntry): void {
  checkLabelKey(item.at("key"), key);
  if (operator === "In" || operator === "NotIn") checkLabelValues(item.at("values"), values);
  if (key === capacityTypeLabel && operator === "In" && !values.some(isCapacityType)) {
    item.at("values").note(`must include one of ${capacityTypes.join(", ")}, found ${listOf(values)}`);
  }
}

/** Others are never offered. */
export function isCapacityType(value: string): boolean {
  return capacityTypes.includes(value);
}

export function checkLabelKey(field: Field, key: string): void {
  checkQualifiedName(field, key);
  if (isQualifiedName(key) && isRestrictedLabel(key)) field.note(`must not be ${key}, which Karpenter sets itself`);
}

function checkLabelValues(field: Field, values: readonly string[]): void {
  for (const item of field.items().filter((_, index) => !isLabelValue(values[index] ?? ""))) {
    item.reject(labelValueGrammar);
  }
}

export function listOf(values: readonly string[]): string {
  if (values.length === 0) return "none";
  const shown = values.slice(0, 3).map(quote);
  return values.length > 3 ? `${shown.join(", ")} and ${values.length - 3} more` : shown.join(", ");
}
