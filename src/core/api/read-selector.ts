import type { Selector, SelectorExpression, SelectorOperator } from "../model/selector.ts";
import type { Field } from "./field.ts";
import { checkQualifiedName, readLabels } from "./read-labels.ts";
import { listOf } from "./read-requirement.ts";

const operators: readonly SelectorOperator[] = ["In", "NotIn", "Exists", "DoesNotExist"];

/** A label selector. No selector is undefined, an empty one selects everything. */
export function readSelector(field: Field): Selector | undefined {
  if (field.isAbsent) return undefined;
  const expressions = readMatchLabels(field.at("matchLabels"));
  for (const item of field.at("matchExpressions").items()) expressions.push(...readExpression(item));
  return { expressions };
}

/** Equality only, as Services and ReplicationControllers select. */
export function readMatchLabels(field: Field): SelectorExpression[] {
  return Array.from(readLabels(field), ([key, value]) => ({ key, operator: "In", values: [value] }));
}

/** None, with the problem noted, when it means nothing. */
function readExpression(item: Field): SelectorExpression[] {
  const key = item.at("key").requiredText();
  if (key !== "") checkQualifiedName(item.at("key"), key);
  const operator = item.at("operator").choice(operators);
  if (item.at("operator").isAbsent) item.at("operator").reject(`must be one of ${operators.join(", ")}`);
  const values = item.at("values").texts();
  if (operator === undefined) return [];
  checkValueCount(item.at("values"), operator, values);
  return [{ key, operator, values }];
}

/** Some operators compare with values, and some have nothing to do with any. */
export function checkValueCount(field: Field, operator: SelectorOperator, values: readonly string[]): void {
  const takesValues = operator === "In" || operator === "NotIn";
  if (takesValues && values.length === 0) field.note(`must have at least one value for operator ${operator}`);
  if (!takesValues && values.length > 0) field.note(`must be empty for operator ${operator}, found ${listOf(values)}`);
}
