import type { SchemaNode, ValidationRule } from "./schema-node.ts";

/** What evaluates the rules of `x-kubernetes-validations`, which are CEL; the core knows no CEL itself. */
export interface RuleEvaluator {
  /** The rules of one schema with the values that they are about; compiled once for each schema. */
  bind(schema: SchemaNode, values: RuleValues): BoundRules;
}

export interface RuleValues {
  readonly self: unknown;
  /** Undefined where there was nothing before. */
  readonly oldSelf: unknown;
  /** Whether the value is a whole resource, so that rules may read its metadata. */
  readonly isResourceRoot: boolean;
  readonly budget: RuleBudget;
}

/** Work that the rules of one object may still do; below zero they have done too much. */
export interface RuleBudget {
  left: number;
}

export interface BoundRules {
  usesOldSelf(rule: ValidationRule): boolean;
  check(rule: ValidationRule): RuleOutcome;
  /** The text of the message expression; undefined where it has none or fails. */
  describe(rule: ValidationRule): string | undefined;
}

export type RuleOutcome = "passed" | "failed" | "exhausted" | { readonly error: string };
