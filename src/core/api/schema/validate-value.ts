import type { FieldError, FieldErrorType } from "../field-error.ts";
import { Correlation } from "./correlation.ts";
import { validateListTypes } from "./list-types.ts";
import { wholeObject } from "./refusals.ts";
import type { RuleEvaluator } from "./rule-evaluator.ts";
import type { SchemaNode } from "./schema-node.ts";
import { validateEmbedded } from "./validate-embedded.ts";
import { validateRules } from "./validate-rules.ts";
import { type PatternMatcher, validateSchema } from "./validate-schema.ts";

/** What the schema engine needs from packages. */
export interface SchemaTools {
  readonly matches: PatternMatcher;
  readonly rules: RuleEvaluator;
}

/** An object before and after a write; `old` is undefined for a new one. */
export interface Change {
  readonly value: unknown;
  readonly old: unknown;
  /** What is wrong besides the schema, which is told after what the schema says and before what its rules say. */
  readonly others?: readonly FieldError[];
}

/** All that the schema says about a whole object. What did not change since `old` is tolerated. */
export function validateValue(schema: SchemaNode, change: Change, tools: SchemaTools): FieldError[] {
  const { value, old, others = [] } = change;
  const correlation = old === undefined ? undefined : new Correlation(schema, value, old);
  const own = validateSchema({ schema, value, correlation, root: "", matches: tools.matches });
  const errors = [...own, ...others, ...validateEmbedded(schema, value, "")];
  return withRules({ schema, value, old, correlation, errors, tools });
}

/** As `validateValue`, for a write of the status only. */
export function validateStatusValue(
  schema: SchemaNode,
  { value, old, others = [] }: StatusChange,
  tools: SchemaTools,
): FieldError[] {
  const status = schema.properties.get("status");
  const correlation = new Correlation(schema, value, old);
  const hasStatus = status !== undefined && Object.hasOwn(value, "status");
  const errors = hasStatus
    ? validateSchema({
        schema: status,
        value: value.status,
        correlation: correlation.key("status"),
        root: "status",
        matches: tools.matches,
      })
    : [];
  return withRules({ schema, value, old, correlation, errors: [...errors, ...others], tools });
}

interface StatusChange extends Change {
  readonly value: { readonly [field: string]: unknown };
}

interface Findings extends Omit<Change, "others"> {
  readonly schema: SchemaNode;
  readonly correlation: Correlation | undefined;
  readonly errors: readonly FieldError[];
  readonly tools: SchemaTools;
}

function withRules({ schema, value, old, correlation, errors, tools }: Findings): FieldError[] {
  const lists = validateListTypes(schema, value, "");
  // Who had duplicates may keep any.
  const areListsJudged = lists.length === 0 || old === undefined || validateListTypes(schema, old, "").length === 0;
  const found = [...errors, ...(areListsJudged ? lists : [])];
  if (!schema.hasRules) return found;
  if (found.some((error) => blocking.has(error.type))) return [...found, rulesNotChecked];
  const evaluator = tools.rules;
  return [...found, ...validateRules({ schema, value, old, path: "", correlation, evaluator, isResourceRoot: true })];
}

/** Where a value is not what the schema says, rules about it would fail in confusing ways. */
const blocking: ReadonlySet<FieldErrorType> = new Set([
  "notSupported",
  "required",
  "tooLong",
  "tooMany",
  "typeInvalid",
]);

const rulesNotChecked: FieldError = {
  type: "invalid",
  field: wholeObject,
  value: "null",
  detail:
    "some validation rules were not checked because the object was invalid; correct the existing errors to complete validation",
};
