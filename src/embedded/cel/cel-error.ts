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
    case "no_such_overload":
    case "no_matching_overload":
    case "field_type_mismatch":
      return "no such overload";
    case "optional_value_missing":
      return "optional.none() dereference";
    default:
      return summary;
  }
}

/** Why an expression does not compile, as the compiler of Kubernetes shows it: the place, the line, and a mark below it. */
export function describeCompileError(error: unknown, expression: string): string {
  const isKnown = error instanceof ParseError || error instanceof CelTypeError || error instanceof EvaluationError;
  if (!isKnown) return error instanceof Error ? error.message : String(error);
  const [message, offset] = explain(error, expression);
  const before = expression.slice(0, offset).split("\n");
  const line = before.length;
  const column = before.at(-1)?.length ?? 0;
  const shown = (expression.split("\n")[line - 1] ?? "").replaceAll("\t", " ");
  return `ERROR: <input>:${line}:${column + 1}: ${message}\n | ${shown}\n | ${".".repeat(column)}^`;
}

function explain(error: ParseError | CelTypeError | EvaluationError, expression: string): [string, number] {
  const { summary, code } = error;
  const start = error.range?.start ?? 0;
  if (code === "no_such_key") {
    const field = summary.replace(/^No such key: /, "");
    const dot = expression.indexOf(`.${field}`, start);
    return [`undefined field '${field}'`, dot < 0 ? start : dot];
  }
  if (code === "unknown_variable") {
    return [`undeclared reference to '${summary.replace(/^Unknown variable: /, "")}' (in container '')`, start];
  }
  if (code === "no_such_overload") return explainOperator(summary, expression, start);
  if (code === "no_matching_overload") return [describeCall(summary), callOffset(summary, expression, start)];
  return [error instanceof ParseError ? `Syntax error: ${summary}` : summary, start];
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

function describeCall(summary: string): string {
  const match = callPattern.exec(summary);
  if (match === null) return summary;
  const [, receiver, name = "", list = ""] = match;
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
