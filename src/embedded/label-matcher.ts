import type { LabelSelector } from "kubernetes-types/meta/v1.js";
import { integerOf } from "../core/model/integer.ts";
import { isSelected } from "../core/model/selector.ts";

export type Labels = Readonly<Record<string, string>>;

export const noLabels: Labels = {};

export interface LabelMatcher {
  /** It has no conditions, so it matches everything. The matcher that matches nothing is not empty. */
  readonly isEmpty: boolean;
  matches(labels: Labels): boolean;
}

/** A condition on labels, in the words of label selectors and node selectors alike. */
export interface LabelCondition {
  readonly key: string;
  readonly operator: string;
  readonly values?: readonly string[];
}

/** The value of a label. A label may be called "constructor", which plain objects seem to have. */
export function labelValue(labels: Labels, key: string): string | undefined {
  const value: unknown = labels[key];
  return typeof value === "string" ? value : undefined;
}

export const matchNothing: LabelMatcher = { isEmpty: false, matches: () => false };

/** A missing selector selects nothing, an empty one everything. */
export function matcherOf(selector: LabelSelector | undefined): LabelMatcher {
  if (selector === undefined || selector === null) return matchNothing;
  return matcherOfConditions(conditionsOf(selector));
}

export function conditionsOf(selector: LabelSelector): LabelCondition[] {
  return [...equalities(selector.matchLabels ?? {}), ...(selector.matchExpressions ?? [])];
}

/** Every label of these must have exactly this value. */
export function equalities(labels: Labels): LabelCondition[] {
  return Object.entries(labels).map(([key, value]) => ({ key, operator: "In", values: [value] }));
}

export function matcherOfConditions(conditions: readonly LabelCondition[]): LabelMatcher {
  return {
    isEmpty: conditions.length === 0,
    matches(labels) {
      for (const condition of conditions) if (!holds(condition, labels)) return false;
      return true;
    },
  };
}

function holds({ key, operator, values = [] }: LabelCondition, labels: Labels): boolean {
  const value = labelValue(labels, key);
  switch (operator) {
    case "In":
    case "NotIn":
    case "Exists":
    case "DoesNotExist":
      return isSelected(value, operator, values);
    case "Gt":
    case "Lt":
      return value !== undefined && isBeyond(value, operator, values[0] ?? "");
    default:
      return false;
  }
}

function isBeyond(value: string, operator: "Gt" | "Lt", threshold: string): boolean {
  const amount = integerOf(value);
  const limit = integerOf(threshold);
  if (amount === undefined || limit === undefined) return false;
  return operator === "Gt" ? amount > limit : amount < limit;
}
