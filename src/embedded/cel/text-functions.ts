import type { Environment } from "@marcbachmann/cel-js";
import { quote, renderFloat } from "../../core/api/schema/render-value.ts";
import { celError, replacementPrefix } from "./cel-error.ts";
import { compilePattern, isCompiled } from "./re2.ts";

const own = replacementPrefix;

/** The longest text that a function may make. */
const longestText = 4 * 1024 * 1024;

/** Regular expressions, and what the library does for JavaScript's idea of text but not for that of Kubernetes. */
export function registerTextFunctions(environment: Environment): void {
  const sync = { async: false };
  const register = (signature: string, handler: (...values: never[]) => unknown): void => {
    environment.registerFunction(signature, handler as (...values: unknown[]) => unknown, sync);
  };
  register(`string.${own}matches(string): bool`, (text: string, pattern: string) => find(text, pattern) !== undefined);
  register("matches(string, string): bool", (text: string, pattern: string) => find(text, pattern) !== undefined);
  register("string.find(string): string", (text: string, pattern: string) => find(text, pattern) ?? "");
  register("string.findAll(string): list<string>", (text: string, pattern: string) => findAll(text, pattern, -1n));
  register("string.findAll(string, int): list<string>", findAll);
  register(`string.${own}lowerAscii(): string`, (text: string) => text.replace(/[A-Z]/g, (sign) => sign.toLowerCase()));
  register(`string.${own}upperAscii(): string`, (text: string) => text.replace(/[a-z]/g, (sign) => sign.toUpperCase()));
  register("string.charAt(int): string", charAt);
  register(`string.${own}substring(int): string`, (text: string, start: bigint) => substring(text, start));
  register(`string.${own}substring(int, int): string`, substring);
  register("string.replace(string, string): string", (text: string, from: string, to: string) =>
    replace([text, from, to]),
  );
  register("string.replace(string, string, int): string", (text: string, from: string, to: string, count: bigint) => {
    return replace([text, from, to], count);
  });
  class Strings {}
  environment.registerType("StringsNamespace", Strings).registerConstant("strings", "StringsNamespace", new Strings());
  register("StringsNamespace.quote(string): string", (_: Strings, text: string) => quote(text));
  register("string.format(list): string", format);
  register(`${own}int(int): int`, (value: bigint) => value);
  register(`${own}int(double): int`, intOfDouble);
  register(`${own}int(string): int`, intOfText);
  register(`${own}int(google.protobuf.Timestamp): int`, (time: Date) => BigInt(Math.floor(time.getTime() / 1000)));
  register(`${own}double(double): double`, (value: number) => value);
  register(`${own}double(int): double`, (value: bigint) => Number(value));
  register(`${own}double(string): double`, doubleOfText);
}

/** Built-in functions that we replace, by how they are called. */
export const replacedMethods = new Set("matches lowerAscii upperAscii substring".split(" "));
export const replacedFunctions = new Set(["int", "double"]);

function regexOf(pattern: string): Exclude<ReturnType<typeof compilePattern>, { error: string }> {
  const regex = compilePattern(pattern);
  if (isCompiled(regex)) return regex;
  throw celError(regex.error);
}

function find(text: string, pattern: string): string | undefined {
  const matcher = regexOf(pattern).matcher(text);
  return matcher.find() ? (matcher.group() ?? "") : undefined;
}

function findAll(text: string, pattern: string, count: bigint): string[] {
  const matcher = regexOf(pattern).matcher(text);
  const found: string[] = [];
  while ((count < 0n || BigInt(found.length) < count) && matcher.find()) found.push(matcher.group() ?? "");
  return found;
}

function charAt(text: string, index: bigint): string {
  const points = [...text];
  if (index < 0n || index > BigInt(points.length)) throw celError(`index out of range: ${index}`);
  return points[Number(index)] ?? "";
}

function substring(text: string, start: bigint, end?: bigint): string {
  const points = [...text];
  const last = end ?? BigInt(points.length);
  if (end !== undefined && start > end) {
    throw celError(`invalid substring range. start: ${start}, end: ${end}`);
  }
  if (start < 0n || start > BigInt(points.length)) throw celError(`index out of range: ${start}`);
  if (last < 0n || last > BigInt(points.length)) throw celError(`index out of range: ${last}`);
  return points.slice(Number(start), Number(last)).join("");
}

function replace([text, from, to]: readonly [string, string, string], count = -1n): string {
  if (count === 0n) return text;
  const parts = text.split(from);
  const most = count < 0n ? parts.length - 1 : Math.min(Number(count), parts.length - 1);
  if (text.length + most * to.length > longestText) throw celError("operation cancelled: actual cost limit exceeded");
  return (
    parts.slice(0, most + 1).join(to) +
    parts
      .slice(most + 1)
      .map((part) => from + part)
      .join("")
  );
}

const most64 = 2n ** 63n;

function intOfDouble(value: number): bigint {
  if (!Number.isFinite(value) || value >= 2 ** 63 || value <= -(2 ** 63)) throw celError("integer overflow");
  return BigInt(Math.trunc(value));
}

function intOfText(text: string): bigint {
  const isNumber = text.length <= 40 && /^[+-]?\d+$/.test(text);
  const value = isNumber ? BigInt(text.replace(/^\+/, "")) : 0n;
  if (!isNumber || value >= most64 || value < -most64) throw celError("type conversion error from 'string' to 'int'");
  return value;
}

function doubleOfText(text: string): number {
  const special = /^([+-]?)(inf|infinity|nan)$/i.exec(text);
  if (special !== null) {
    if (special[2]?.toLowerCase() === "nan") return Number.NaN;
    return special[1] === "-" ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
  }
  const isNumber = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i.test(text);
  if (!isNumber) throw celError("type conversion error from 'string' to 'double'");
  return Number(text);
}

/** Fills in `%s`, `%d`, `%f` with a precision, and the other verbs for numbers. */
function format(pattern: string, values: readonly unknown[]): string {
  let next = 0;
  return pattern.replace(
    /%(?:%|(\.\d{1,3})?([a-zA-Z]))/g,
    (verb, precision: string | undefined, letter: string | undefined) => {
      if (letter === undefined) return "%";
      if (next >= values.length) throw celError(`index ${next} out of range`);
      return formatValue(letter, values[next++], Number(precision?.slice(1) ?? 6)) ?? refuseVerb(verb);
    },
  );
}

function refuseVerb(verb: string): never {
  throw celError(`could not parse formatting clause: unrecognized formatting clause "${verb.slice(1)}"`);
}

function formatValue(letter: string, value: unknown, precision: number): string | undefined {
  const isInteger = typeof value === "bigint";
  switch (letter) {
    case "s":
      return textOf(value);
    case "d":
      return isInteger || typeof value === "number" ? String(value) : undefined;
    case "f":
      return isInteger || typeof value === "number" ? Number(value).toFixed(Math.min(precision, 100)) : undefined;
    case "b":
      return typeof value === "boolean" ? String(Number(value)) : isInteger ? value.toString(2) : undefined;
    case "o":
      return isInteger ? value.toString(8) : undefined;
    case "x":
      return isInteger ? value.toString(16) : Buffer.from(String(value)).toString("hex");
    case "X":
      return isInteger ? value.toString(16).toUpperCase() : Buffer.from(String(value)).toString("hex").toUpperCase();
    default:
      return undefined;
  }
}

function textOf(value: unknown): string {
  if (typeof value === "number") return renderFloat(value);
  if (Array.isArray(value)) return `[${value.map(textOf).join(", ")}]`;
  if (value instanceof Map) {
    const entries = [...value].map(([key, item]) => `${textOf(key)}: ${textOf(item)}`).sort();
    return `{${entries.join(", ")}}`;
  }
  return value instanceof Date ? value.toISOString().replace(".000Z", "Z") : String(value);
}
