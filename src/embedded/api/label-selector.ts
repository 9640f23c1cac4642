import { readSelector } from "./selector-reader.ts";

/** Whether an object with these labels is meant. */
export type LabelMatch = (labels: Readonly<Record<string, string>>) => boolean;

type Test = (value: string | undefined) => boolean;

/** Reads a selector as a query carries it. */
export function parseLabelSelector(text: string): LabelMatch {
  return matchAll(readSelector(text));
}

/** The selector of a workload or a budget, as objects carry it; absent selects nothing, empty everything. */
export function labelSelectorMatch(selector: LabelSelector | undefined): LabelMatch {
  if (selector === undefined) return () => false;
  const labels = Object.entries(selector.matchLabels ?? {});
  return matchAll([
    ...labels.map(([key, value]) => ({ key, operator: "In", values: [value] })),
    ...(selector.matchExpressions ?? []),
  ]);
}

interface Term {
  readonly key: string;
  readonly operator: string;
  readonly values?: readonly string[];
}

export interface LabelSelector {
  readonly matchLabels?: Readonly<Record<string, string>>;
  readonly matchExpressions?: readonly Term[];
}

function matchAll(terms: readonly Term[]): LabelMatch {
  const tests = terms.map(({ key, operator, values = [] }) => ({ key, test: testOf(operator, values) }));
  return (labels) => tests.every(({ key, test }) => test(Object.hasOwn(labels, key) ? labels[key] : undefined));
}

function testOf(operator: string, values: readonly string[]): Test {
  switch (operator) {
    case "In":
      return (value) => value !== undefined && values.includes(value);
    case "NotIn":
      return (value) => value === undefined || !values.includes(value);
    case "Exists":
      return (value) => value !== undefined;
    case "DoesNotExist":
      return (value) => value === undefined;
    case "Gt":
      return (value) => isNumber(value) && BigInt(value) > BigInt(values[0] ?? "0");
    case "Lt":
      return (value) => isNumber(value) && BigInt(value) < BigInt(values[0] ?? "0");
    default:
      return () => false;
  }
}

function isNumber(value: string | undefined): value is string {
  return value !== undefined && /^-?\d+$/.test(value);
}
