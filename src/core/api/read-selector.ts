import type { Selector, SelectorExpression, SelectorOperator } from "../model/selector.ts";
import type { Field } from "./field.ts";

const operators: readonly SelectorOperator[] = ["In", "NotIn", "Exists", "DoesNotExist"];

/**
 * A label selector. No selector is undefined, an empty one selects everything. One that makes no sense is undefined as
 * well and so selects nothing: kube-scheduler keeps such a pod, and so do we.
 */
export function readSelector(field: Field): Selector | undefined {
  if (field.isAbsent) return undefined;
  const expressions = readMatchLabels(field.at("matchLabels"));
  let isSensible = true;
  for (const item of field.at("matchExpressions").items()) {
    const expression = readExpression(item);
    if (expression === undefined) isSensible = false;
    else expressions.push(expression);
  }
  return isSensible ? { expressions } : undefined;
}

/** Equality only, as Services and ReplicationControllers select. */
export function readMatchLabels(field: Field): SelectorExpression[] {
  return Array.from(field.labels(), ([key, value]) => ({ key, operator: "In", values: [value] }));
}

function readExpression(item: Field): SelectorExpression | undefined {
  const key = item.at("key").text() ?? "";
  const text = item.at("operator").text();
  const values = item.at("values").texts();
  const operator = operators.find((known) => known === text);
  if (key === "" || operator === undefined) return undefined;
  const takesValues = operator === "In" || operator === "NotIn";
  return takesValues === values.length > 0 ? { key, operator, values } : undefined;
}
