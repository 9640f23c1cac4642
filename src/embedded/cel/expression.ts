import type { Environment } from "@marcbachmann/cel-js";
import type { RuleBudget } from "../../core/api/schema/rule-evaluator.ts";
import { CompileProblem, describeCompileError, replacementPrefix } from "./cel-error.ts";
import { replacedFunctions, replacedMethods } from "./text-functions.ts";

/** A node of a parsed expression, as far as we look into it. */
interface Node {
  readonly op: string;
  args: unknown;
  readonly start: number;
  readonly end: number;
  readonly input: string;
  readonly meta: { alternate?: Node; evaluate?: Evaluate };
  setMeta(key: "evaluate", evaluate: Evaluate): unknown;
}

type Evaluate = (this: unknown, ...args: readonly unknown[]) => unknown;

export class BudgetError extends Error {
  override readonly name = "BudgetError";
}

/** A compiled expression. */
export interface Expression {
  readonly type: string;
  readonly usesOldSelf: boolean;
  /** Throws what goes wrong. */
  evaluate(context: { readonly [name: string]: unknown }, budget: RuleBudget): unknown;
}

/** Compiles in that environment; the error is as the API server shows it. */
export function compileExpression(environment: Environment, source: string): Expression | { readonly error: string } {
  try {
    return compile(environment, source);
  } catch (error) {
    const isFunction = (name: string): boolean => {
      return environment.getDefinitions().functions.some((each) => each.name === name);
    };
    return { error: describeCompileError(error, { expression: source, isFunction }) };
  }
}

function compile(environment: Environment, source: string): Expression {
  // Only what is formatted may be of different types.
  const isMixed = /\.\s*format\s*\(/.test(source);
  const parsed = (isMixed ? environment.clone({ homogeneousAggregateLiterals: false }) : environment).parse(source);
  const nodes = nodesOf(parsed.ast as unknown as Node);
  for (const node of nodes) replaceFunction(node);
  const checked = parsed.check();
  if (!checked.valid) throw checked.error;
  for (const node of nodes) checkPresence(environment, node);
  const meter: { budget: RuleBudget } = { budget: { left: 0 } };
  for (const node of nodes) meterSteps(node, meter);
  return {
    type: checked.type ?? "dyn",
    usesOldSelf: nodes.some((node) => node.op === "id" && node.args === "oldSelf"),
    evaluate(context, budget) {
      meter.budget = budget;
      spend(budget);
      return parsed(context);
    },
  };
}

function spend(budget: RuleBudget): void {
  if (--budget.left < 0) throw new BudgetError("operation cancelled: actual cost limit exceeded");
}

function isNode(value: unknown): value is Node {
  return typeof value === "object" && value !== null && "op" in value && "args" in value;
}

/** The node and all below it; the parser bounds their number. */
function nodesOf(root: Node): Node[] {
  const found: Node[] = [];
  const pending: unknown[] = [root];
  while (pending.length > 0) {
    const next = pending.pop();
    if (Array.isArray(next)) pending.push(...next);
    else if (isNode(next)) {
      found.push(next);
      pending.push(next.args);
    }
  }
  return found;
}

/** The library lets nobody replace its own functions, so calls of those that differ from Kubernetes go to other names. */
function replaceFunction(node: Node): void {
  if (!Array.isArray(node.args)) return;
  const [name] = node.args;
  const isMethod = node.op === "rcall" && replacedMethods.has(name);
  if (isMethod || (node.op === "call" && replacedFunctions.has(name))) node.args[0] = `${replacementPrefix}${name}`;
}

/** `has` of a field that the type does not have is a mistake; the library does not look. */
function checkPresence(environment: Environment, node: Node): void {
  if (node.op !== "call" || !Array.isArray(node.args) || node.args[0] !== "has") return;
  const [argument] = node.args[1] as Node[];
  if (argument === undefined) return;
  let root: Node = argument;
  while (Array.isArray(root.args) && (root.op === "." || root.op === ".?") && isNode(root.args[0])) root = root.args[0];
  if (root.op !== "id" || root.args !== "self") return;
  const { valid, error } = environment.check(node.input.slice(argument.start, argument.end));
  if (valid || error === undefined) return;
  const field = error.summary.replace(/^No such key: /, "");
  throw new CompileProblem(`undefined field '${field}'`, node.start + "has".length);
}

/** Every turn of a loop is paid for, so that no rule keeps the server busy for long. */
function meterSteps(node: Node, meter: { readonly budget: RuleBudget }): void {
  const loop = node.meta.alternate;
  if (loop?.op !== "comprehension") return;
  const { step } = loop.args as { step: Node };
  const evaluate = step.meta.evaluate;
  if (evaluate === undefined) return;
  step.setMeta("evaluate", function (this: unknown, ...args) {
    spend(meter.budget);
    return evaluate.apply(this, [...args]);
  });
}
