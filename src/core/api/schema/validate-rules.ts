import type { FieldError } from "../field-error.ts";
import { type Correlation, MapList } from "./correlation.ts";
import { resolveFieldPath } from "./field-path.ts";
import { fieldOf, isJsonObject } from "./json.ts";
import { childPath } from "./list-types.ts";
import { invalid, wholeObject } from "./refusals.ts";
import { renderValue } from "./render-value.ts";
import type { BoundRules, RuleBudget, RuleEvaluator } from "./rule-evaluator.ts";
import { type SchemaNode, type ValidationRule, valueSchemaOf } from "./schema-node.ts";

export interface RulesValidation {
  readonly schema: SchemaNode;
  readonly value: unknown;
  /** What was there before; undefined for a new object. */
  readonly old: unknown;
  readonly path: string;
  readonly correlation: Correlation | undefined;
  readonly evaluator: RuleEvaluator;
  readonly isResourceRoot: boolean;
}

/** Turns of loops for all rules of one object: a second at worst. The server counts finer, and comes to about as many. */
const wholeBudget = 1_000_000;

/** What the rules of the schema say about the value. */
export function validateRules(validation: RulesValidation): FieldError[] {
  const { schema, value, old, path, correlation, isResourceRoot } = validation;
  const walk = new RuleWalk(validation.evaluator);
  walk.visit({ schema, value, old, path, isResourceRoot, isRoot: true, correlation, nearest: undefined });
  return walk.errors;
}

interface Visit {
  readonly schema: SchemaNode;
  readonly value: unknown;
  readonly old: unknown;
  readonly path: string;
  readonly isResourceRoot: boolean;
  readonly isRoot: boolean;
  readonly correlation: Correlation | undefined;
  /** The innermost correlation around this value. */
  readonly nearest: Correlation | undefined;
}

class RuleWalk {
  readonly errors: FieldError[] = [];
  readonly #evaluator: RuleEvaluator;
  readonly #budget: RuleBudget = { left: wholeBudget };

  constructor(evaluator: RuleEvaluator) {
    this.#evaluator = evaluator;
  }

  visit(visit: Visit): void {
    const { schema, value } = visit;
    if (!schema.hasRules || value === null || value === undefined || this.#budget.left < 0) return;
    if (schema.rules.length > 0) this.#checkRules(visit);
    if (Array.isArray(value)) this.#visitItems(visit, value);
    else if (isJsonObject(value)) {
      const ofValues = valueSchemaOf(schema);
      for (const name of Object.keys(value)) {
        if (ofValues !== undefined) this.#visitField(visit, { name, schema: ofValues, path: `${visit.path}[${name}]` });
        const property = schema.properties.get(name);
        if (property !== undefined)
          this.#visitField(visit, { name, schema: property, path: childPath(visit.path, name) });
      }
    }
  }

  #visitField(visit: Visit, { name, schema, path }: { name: string; schema: SchemaNode; path: string }): void {
    const { old, correlation } = visit;
    // Kind and version are the same before and after only because both were converted.
    const isTypeMeta = visit.isRoot && (name === "apiVersion" || name === "kind");
    const isKnown = correlation !== undefined && !isTypeMeta;
    this.visit({
      schema,
      value: (visit.value as { [name: string]: unknown })[name],
      old: isJsonObject(old) ? fieldOf(old, name) : undefined,
      path,
      isResourceRoot: schema.isEmbeddedResource,
      isRoot: false,
      correlation: isKnown ? correlation.key(name) : undefined,
      nearest: isTypeMeta ? undefined : (correlation ?? visit.nearest),
    });
  }

  #visitItems(visit: Visit, items: readonly unknown[]): void {
    const { schema, correlation } = visit;
    const itemSchema = schema.items;
    if (itemSchema === undefined) return;
    const oldItems = new MapList(schema, visit.old);
    items.forEach((value, index) => {
      this.visit({
        schema: itemSchema,
        value,
        old: oldItems.find(value),
        path: `${visit.path}[${index}]`,
        isResourceRoot: itemSchema.isEmbeddedResource,
        isRoot: false,
        correlation: correlation?.index(index),
        nearest: correlation ?? visit.nearest,
      });
    });
  }

  #checkRules(visit: Visit): void {
    const { schema, value, isResourceRoot } = visit;
    const oldSelf = visit.old === null ? undefined : visit.old;
    const bound = this.#evaluator.bind(schema, { self: value, oldSelf, isResourceRoot, budget: this.#budget });
    for (const rule of schema.rules) {
      const isTransition = bound.usesOldSelf(rule);
      // Without an old value there is no transition to judge.
      if (isTransition && oldSelf === undefined && !rule.optionalOldSelf) continue;
      const outcome = bound.check(rule);
      if (outcome === "exhausted") {
        this.#add(visit, invalid(visit.path, schema.type, exhausted));
        return;
      }
      if (outcome === "passed") continue;
      if (typeof outcome === "object")
        this.#add(visit, invalid(visit.path, schema.type, describeFailure(outcome.error, rule)));
      else if (isTransition || !isTolerated(visit)) this.#add(visit, refusalOf(visit, rule, bound));
    }
  }

  #add({ path }: Visit, error: FieldError): void {
    this.errors.push(path === "" && error.field === "" ? { ...error, field: wholeObject } : error);
  }
}

const exhausted = "validation failed due to running out of cost budget, no further validation rules will be run";

/** An unchanged part that broke a rule before may go on breaking it. */
function isTolerated({ correlation, nearest }: Visit): boolean {
  return (correlation ?? nearest)?.isUnchanged ?? false;
}

function describeFailure(error: string, rule: ValidationRule): string {
  if (!error.startsWith("no such overload")) return `${error} evaluating rule: ${titleOf(rule)}`;
  const what = "call arguments did not match a supported operator, function or macro signature for rule";
  return `'${error}': ${what}: ${titleOf(rule)}`;
}

function titleOf({ rule, message }: ValidationRule): string {
  return (message === "" ? rule : message).trim();
}

function refusalOf({ schema, value, path }: Visit, rule: ValidationRule, bound: BoundRules): FieldError {
  const detail = bound.describe(rule) ?? (rule.message === "" ? `failed rule: ${titleOf(rule)}` : rule.message.trim());
  const field = joinPaths(path, fieldPathOf(rule, schema));
  const shown = schema.type === "object" || schema.type === "array" ? {} : { value: renderValue(value) };
  switch (rule.reason) {
    case "FieldValueForbidden":
      return { type: "forbidden", field, detail };
    case "FieldValueRequired":
      return { type: "required", field, detail };
    case "FieldValueDuplicate":
      return { type: "duplicate", field, ...shown, detail: "" };
    default:
      return { type: "invalid", field, ...shown, detail };
  }
}

function fieldPathOf({ fieldPath }: ValidationRule, schema: SchemaNode): string {
  const resolved = resolveFieldPath(fieldPath, schema);
  return "path" in resolved ? resolved.path : "";
}

function joinPaths(path: string, below: string): string {
  return below === "" || path === "" ? path + below : `${path}.${below}`;
}
