import type { Labels } from "./labels.ts";

export type SelectorOperator = "In" | "NotIn" | "Exists" | "DoesNotExist";

export interface SelectorExpression {
  readonly key: string;
  readonly operator: SelectorOperator;
  readonly values: readonly string[];
}

/** A label selector with matchLabels already turned into `In` expressions. No expressions selects everything. */
export interface Selector {
  readonly expressions: readonly SelectorExpression[];
}

/** A missing selector selects nothing. */
export function selects(selector: Selector | undefined, labels: Labels): boolean {
  return selector !== undefined && selector.expressions.every((expression) => holds(expression, labels));
}

function holds({ key, operator, values }: SelectorExpression, labels: Labels): boolean {
  return isSelected(labels.get(key), operator, values);
}

/** Whether a label of that value, undefined for none, is what an expression asks for. */
export function isSelected(value: string | undefined, operator: SelectorOperator, values: readonly string[]): boolean {
  switch (operator) {
    case "In":
      return value !== undefined && values.includes(value);
    case "NotIn":
      return value === undefined || !values.includes(value);
    case "Exists":
      return value !== undefined;
    case "DoesNotExist":
      return value === undefined;
  }
}
