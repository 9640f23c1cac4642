import { TypeError as CelTypeError, EvaluationError, ParseError } from "@marcbachmann/cel-js";

/** Thrown by our functions, in the words of the evaluator of Kubernetes. */
export function celError(message: string): EvaluationError {
  return new EvaluationError({ code: "kubernetes", message });
}

/** Why an expression could not be evaluated, in the words of the evaluator of Kubernetes. */
export function describeEvaluationError(error: unknown): string {
  if (!(error instanceof EvaluationError)) return error instanceof Error ? error.message : String(error);
  const { summary } = error;
  switch (error.code) {
    case "no_such_key":
      return `no such key: ${summary.replace(/^No such key: /, "")}`;
    case "index_out_of_bounds":
      return `index out of bounds: ${/index (-?\d+)/.exec(summary)?.[1] ?? ""}`;
    case "modulo_by_zero":
      return "modulus by zero";
    case "numeric_overflow":
      return "integer overflow";
    case "no_matching_overload":
      return `no such overload: ${publicName(callPattern.exec(summary)?.[2] ?? "")}`;
    case "no_such_overload":
    case "field_type_mismatch":
      return "no such overload";
    case "optional_value_missing":
      return "optional.none() dereference";
    default:
      return summary;
  }
}

/** A mistake in an expression and where it is. */
export class CompileProblem extends Error {
  override readonly name = "CompileProblem";
  readonly offset: number;

  constructor(message: string, offset: number) {
    super(message);
    this.offset = offset;
  }
}

/** What is needed to explain why an expression does not compile. */
export interface Attempt {
  readonly expression: string;
  /** Whether there is any function of that name. */
  readonly isFunction: (name: string) => boolean;
}

/** Why an expression does not compile, as the compiler of Kubernetes shows it: the place, the line, and a mark below it. */
export function describeCompileError(error: unknown, attempt: Attempt): string {
  const { expression } = attempt;
  const isKnown = error instanceof ParseError || error instanceof CelTypeError || error instanceof EvaluationError;
  const problem = isKnown ? explain(error, attempt) : error;
  if (!(problem instanceof CompileProblem)) return problem instanceof Error ? problem.message : String(problem);
  const before = expression.slice(0, problem.offset).split("\n");
  const line = before.length;
  const column = before.at(-1)?.length ?? 0;
  const shown = (expression.split("\n")[line - 1] ?? "").replaceAll("\t", " ");
  return `ERROR: <input>:${line}:${column + 1}: ${problem.message}\n | ${shown}\n | ${".".repeat(column)}^`;
}

function explain(error: ParseError | CelTypeError | EvaluationError, attempt: Attempt): CompileProblem {
  const { expression } = attempt;
  const { summary, code } = error;
  const start = error.range?.start ?? 0;
  switch (code) {
    case "no_such_key":
      return new CompileProblem(
        `undefined field '${summary.replace(/^No such key: /, "")}'`,
        dotBefore(start, expression),
      );
    case "cannot_index_type": {
      const type = typeName(summary.replace(/^Cannot index type '(.*)'$/, "$1"));
      return new CompileProblem(`type '${type}' does not support field selection`, dotBefore(start, expression));
    }
    case "unknown_variable": {
      const name = summary.replace(/^Unknown variable: /, "");
      return new CompileProblem(`undeclared reference to '${name}' (in container '')`, start);
    }
    case "incompatible_ternary_branches": {
      const [, left = "", right = ""] = /got '(.*)' and '(.*)'$/.exec(summary) ?? [];
      const types = `(bool, ${typeName(left)}, ${typeName(right)})`;
      const offset = expression.indexOf("?", start);
      return new CompileProblem(`found no matching overload for '_?_:_' applied to '${types}'`, offset);
    }
    case "no_such_overload":
      return new CompileProblem(...explainOperator(summary, expression, start));
    case "no_matching_overload":
      return new CompileProblem(describeCall(summary, attempt), callOffset(summary, expression, start));
    default:
      return new CompileProblem(
        error instanceof ParseError ? `Syntax error: ${explainSyntax(summary)}` : summary,
        start,
      );
  }
}

function explainSyntax(summary: string): string {
  if (summary !== "Unexpected token: EOF") return summary;
  const starts =
    "'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER";
  return `mismatched input '<EOF>' expecting {${starts}}`;
}

/** Selections are marked at their dots. */
function dotBefore(offset: number, expression: string): number {
  const dot = expression.lastIndexOf(".", offset);
  return dot < 0 ? offset : dot;
}

function explainOperator(summary: string, expression: string, start: number): [string, number] {
  const binary = /^no such overload: (.+?) (==|!=|<=|>=|<|>|\+|-|\*|\/|%|in) (.+)$/.exec(summary);
  if (binary !== null) {
    const [, left = "", operator = "", right = ""] = binary;
    const name = operator === "in" ? "@in" : `_${operator}_`;
    const text = `found no matching overload for '${name}' applied to '(${typeName(left)}, ${typeName(right)})'`;
    return [text, Math.max(start, expression.indexOf(` ${operator} `, start) + 1)];
  }
  const unary = /^no such overload: ([-!])(.+)$/.exec(summary);
  if (unary === null) return [summary, start];
  return [`found no matching overload for '${unary[1]}_' applied to '(${typeName(unary[2] ?? "")})'`, start];
}

const callPattern = /^found no matching overload for '(?:(.+)\.)?(\w+)\((.*)\)'$/;

function describeCall(summary: string, { isFunction }: Attempt): string {
  const match = callPattern.exec(summary);
  if (match === null) return summary;
  const [, receiver, name = "", list = ""] = match;
  if (!isFunction(name)) return `undeclared reference to '${name}' (in container '')`;
  const types = list === "" ? [] : list.split(", ").map(typeName);
  const applied = receiver === undefined ? `(${types.join(", ")})` : `${typeName(receiver)}.(${types.join(", ")})`;
  return `found no matching overload for '${publicName(name)}' applied to '${applied}'`;
}

function callOffset(summary: string, expression: string, start: number): number {
  const name = publicName(callPattern.exec(summary)?.[2] ?? "");
  const at = expression.indexOf(`${name}(`, start);
  return at < 0 ? start : at + name.length;
}

function typeName(type: string): string {
  return type
    .replaceAll("<", "(")
    .replaceAll(">", ")")
    .replace("google.protobuf.Duration", "duration")
    .replace("google.protobuf.Timestamp", "timestamp");
}

/** Our replacements of built-in functions have names of their own. */
export const replacementPrefix = "kubernetes_";

function publicName(name: string): string {
  return name.startsWith(replacementPrefix) ? name.slice(replacementPrefix.length) : name;
}
