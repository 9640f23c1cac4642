import { type Environment, Optional } from "@marcbachmann/cel-js";
import { celError } from "./cel-error.ts";

/** As far as we look into the types, contexts and nodes of the library. */
interface Type {
  readonly kind: string;
  readonly valueType?: Type;
}

interface Checker {
  readonly dynType: Type;
  readonly registry: { getOptionalType(type: Type): Type };
  check(node: unknown, context: Context): Type;
}

interface Context {
  forkWithVariable(name: string, type: Type): Bound;
}

interface Bound extends Context {
  reuse(parent: Context): { setIterValue(value: unknown, evaluator: Evaluator): Context };
}

interface Evaluator {
  run(node: unknown, context: Context): unknown;
}

interface Macro {
  bound?: Bound;
}

interface Call {
  readonly args: readonly [{ readonly op: string; readonly args: unknown }, unknown];
  readonly receiver: unknown;
}

/** `optMap` and `optFlatMap`, which the library lacks. */
export function registerOptionalMacros(environment: Environment): void {
  environment.registerFunction("optional.optMap(ast, ast): optional<dyn>", (call: Call) => expand(call, "map"));
  environment.registerFunction("optional.optFlatMap(ast, ast): optional<dyn>", (call: Call) => expand(call, "flatMap"));
}

function expand({ args: [variable, body], receiver }: Call, kind: "map" | "flatMap"): object {
  if (variable.op !== "id") throw celError("the first argument of optMap must be a variable name");
  const name = String(variable.args);
  return {
    async: false,
    typeCheck(checker: Checker, macro: Macro, context: Context): Type {
      const outer = checker.check(receiver, context);
      macro.bound = context.forkWithVariable(name, outer.valueType ?? checker.dynType);
      const inner = checker.check(body, macro.bound);
      return kind === "map" ? checker.registry.getOptionalType(inner) : inner;
    },
    evaluate(evaluator: Evaluator, macro: Macro, context: Context): unknown {
      const outer = evaluator.run(receiver, context);
      if (!(outer instanceof Optional)) throw celError("no such overload");
      if (!outer.hasValue() || macro.bound === undefined) return outer;
      const inner = evaluator.run(body, macro.bound.reuse(context).setIterValue(outer.value(), evaluator));
      return kind === "map" ? Optional.of(inner) : inner;
    },
  };
}
