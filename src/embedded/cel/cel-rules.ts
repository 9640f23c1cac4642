import { type Environment, Optional } from "@marcbachmann/cel-js";
import type { BoundRules, RuleEvaluator, RuleOutcome, RuleValues } from "../../core/api/schema/rule-evaluator.ts";
import type { SchemaNode, ValidationRule } from "../../core/api/schema/schema-node.ts";
import { celEnvironment } from "./cel-environment.ts";
import { describeEvaluationError } from "./cel-error.ts";
import { BudgetError, compileExpression, type Expression } from "./expression.ts";
import { BadValue, type CelType, SchemaTypes } from "./schema-types.ts";

/** A rule ready to be evaluated, or why it is not. */
export interface CompiledRule {
  readonly rule?: Expression;
  readonly ruleError?: string;
  readonly message?: Expression;
  readonly messageError?: string;
}

/** The rules of one schema. */
interface CompiledRules {
  readonly self: CelType;
  readonly rules: ReadonlyMap<ValidationRule, CompiledRule>;
}

const longestMessage = 5 * 1024;

/** Evaluates the rules of `x-kubernetes-validations`, compiling those of a schema when they are first needed. */
class CelRules implements RuleEvaluator {
  readonly #compiled = {
    root: new WeakMap<SchemaNode, CompiledRules>(),
    nested: new WeakMap<SchemaNode, CompiledRules>(),
  };

  bind(schema: SchemaNode, values: RuleValues): BoundRules {
    const { self, rules } = this.#rulesOf(schema, values.isResourceRoot);
    const context = { self: self.convert(values.self) };
    const oldSelf = values.oldSelf === undefined ? undefined : self.convert(values.oldSelf);
    const contextOf = (rule: ValidationRule): { readonly [name: string]: unknown } => {
      if (rule.optionalOldSelf)
        return { ...context, oldSelf: oldSelf === undefined ? Optional.none() : Optional.of(oldSelf) };
      return oldSelf === undefined ? context : { ...context, oldSelf };
    };
    return {
      usesOldSelf: (rule) => rules.get(rule)?.rule?.usesOldSelf ?? false,
      check: (rule) => check(rules.get(rule), contextOf(rule), values),
      describe: (rule) => describe(rules.get(rule), contextOf(rule), values),
    };
  }

  /** The rules in their order; undefined where the schema has no type that rules could be about. */
  compile(schema: SchemaNode, isResourceRoot: boolean): readonly CompiledRule[] {
    return [...this.#rulesOf(schema, isResourceRoot).rules.values()];
  }

  #rulesOf(schema: SchemaNode, isResourceRoot: boolean): CompiledRules {
    const cache = isResourceRoot ? this.#compiled.root : this.#compiled.nested;
    const known = cache.get(schema);
    if (known !== undefined) return known;
    const fresh = compileRules(schema, isResourceRoot);
    cache.set(schema, fresh);
    return fresh;
  }
}

export const celRules: CelRules = new CelRules();

function compileRules(schema: SchemaNode, isResourceRoot: boolean): CompiledRules {
  const environment = celEnvironment.clone();
  const self = new SchemaTypes(environment).declare(schema, isResourceRoot) ?? {
    name: "dyn",
    convert: (value) => value,
  };
  environment.registerVariable("self", self.name);
  const plain = environment.clone().registerVariable("oldSelf", self.name);
  const optional = environment.clone().registerVariable("oldSelf", `optional<${self.name}>`);
  const compiled = schema.rules.map((rule): [ValidationRule, CompiledRule] => {
    return [rule, compileRule(rule.optionalOldSelf ? optional : plain, rule)];
  });
  return { self, rules: new Map(compiled) };
}

function compileRule(environment: Environment, { rule, messageExpression }: ValidationRule): CompiledRule {
  if (rule.trim() === "") return {};
  const expression = compileExpression(environment, rule);
  if ("error" in expression) return { ruleError: `compilation failed: ${expression.error}` };
  if (expression.type !== "bool") return { ruleError: "cel expression must evaluate to a bool" };
  if (messageExpression === "") return { rule: expression };
  const message = compileExpression(environment, messageExpression);
  if ("error" in message) {
    return { rule: expression, messageError: `messageExpression compilation failed: ${message.error}` };
  }
  if (message.type !== "string") {
    return { rule: expression, messageError: "messageExpression must evaluate to a string" };
  }
  return { rule: expression, message };
}

type RuleContext = { readonly [name: string]: unknown };

function check(compiled: CompiledRule | undefined, context: RuleContext, { budget }: RuleValues): RuleOutcome {
  if (compiled?.ruleError !== undefined) return { error: `rule compile error: ${compiled.ruleError}` };
  if (compiled?.rule === undefined) return "passed";
  const bad = [context.self, compiled.rule.usesOldSelf ? context.oldSelf : undefined].find(
    (value) => value instanceof BadValue,
  );
  if (bad !== undefined) return { error: bad.message };
  try {
    return compiled.rule.evaluate(context, budget) === true ? "passed" : "failed";
  } catch (error) {
    if (error instanceof BudgetError || budget.left < 0) return "exhausted";
    return { error: describeEvaluationError(error) };
  }
}

function describe(
  compiled: CompiledRule | undefined,
  context: RuleContext,
  { budget }: RuleValues,
): string | undefined {
  try {
    const text = compiled?.message?.evaluate(context, budget);
    if (typeof text !== "string") return undefined;
    const message = text.trim();
    return message === "" || message.includes("\n") || Buffer.byteLength(message) > longestMessage
      ? undefined
      : message;
  } catch {
    // A message that cannot be made is replaced by the one of the rule.
    return undefined;
  }
}
