import { fieldOf, isJsonObject } from "../../core/api/schema/json.ts";

/** One way from a value to others. */
type Step = (value: unknown) => readonly unknown[];

export type JsonPath = (object: unknown) => readonly unknown[];

/** The paths that printer columns use: `.spec.list[0]['key'].*`, `[?(@.type=="Ready")]`. Undefined for what it cannot read. */
export function parseJsonPath(text: string): JsonPath | undefined {
  const steps: Step[] = [];
  let rest = text.replace(/^\$/, "");
  while (rest !== "") {
    const found = readStep(rest);
    if (found === undefined) return undefined;
    steps.push(found.step);
    rest = rest.slice(found.length);
  }
  return (object) =>
    steps.reduce<readonly unknown[]>((values, step) => values.flatMap((value) => step(value)), [object]);
}

function readStep(text: string): { readonly step: Step; readonly length: number } | undefined {
  const name = /^\.((?:\\.|[^.[\]\\])+)/s.exec(text);
  if (name !== null) {
    const field = (name[1] ?? "").replace(/\\(.)/gs, "$1");
    return { step: field === "*" ? each : child(field), length: name[0].length };
  }
  if (text === ".") return { step: (value) => [value], length: 1 };
  const filter =
    /^\[\?\(\s*@((?:\.[^\s=!<>)[\]]+)+)\s*(==|!=|<=|>=|<|>)\s*("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|[^\s)]+)\s*\)\]/.exec(
      text,
    );
  if (filter !== null) return filterStep(filter);
  const bracket = /^\[\s*(?:'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)"|(\*)|(-?\d+)|(-?\d*):(-?\d*))\s*\]/.exec(text);
  if (bracket === null) return undefined;
  const [all, single, double, star, index, from, to] = bracket;
  const length = all.length;
  const field = single ?? double;
  if (field !== undefined) return { step: child(field), length };
  if (star !== undefined) return { step: each, length };
  if (index !== undefined) return { step: item(Number(index)), length };
  return { step: slice(from ?? "", to ?? ""), length };
}

function child(name: string): Step {
  return (value) => {
    if (!isJsonObject(value)) return [];
    const found = fieldOf(value, name);
    return found === undefined ? [] : [found];
  };
}

const each: Step = (value) => (Array.isArray(value) ? value : isJsonObject(value) ? Object.values(value) : []);

function item(index: number): Step {
  return (value) => (Array.isArray(value) && value.at(index) !== undefined ? [value.at(index)] : []);
}

function slice(from: string, to: string): Step {
  return (value) => (Array.isArray(value) ? value.slice(Number(from), to === "" ? undefined : Number(to)) : []);
}

function filterStep(match: RegExpExecArray): { readonly step: Step; readonly length: number } | undefined {
  const [all, path = "", operator = "", literal = ""] = match;
  const left = parseJsonPath(path);
  if (left === undefined) return undefined;
  const right = readLiteral(literal);
  const step: Step = (value) => {
    return Array.isArray(value)
      ? value.filter((each) => left(each).some((found) => compares(operator, found, right)))
      : [];
  };
  return { step, length: all.length };
}

function readLiteral(text: string): unknown {
  if (/^["']/.test(text)) return text.slice(1, -1).replace(/\\(.)/gs, "$1");
  if (text === "true" || text === "false") return text === "true";
  return Number.isNaN(Number(text)) ? text : Number(text);
}

function compares(operator: string, left: unknown, right: unknown): boolean {
  if (typeof left !== typeof right || typeof left === "object") return operator === "!=";
  switch (operator) {
    case "==":
      return left === right;
    case "!=":
      return left !== right;
    case "<":
      return (left as number) < (right as number);
    case "<=":
      return (left as number) <= (right as number);
    case ">":
      return (left as number) > (right as number);
    default:
      return (left as number) >= (right as number);
  }
}
