import { isJsonObject } from "./json.ts";

// Values as the API server, a Go program, writes them into its messages.

const largestInt64 = 2 ** 63;

/** Whether the server would hold this number as a 64-bit integer. */
export function isInt64(value: number): boolean {
  return Number.isInteger(value) && value >= -largestInt64 && value < largestInt64;
}

/** A bad value in the words of a field error: text quoted, numbers plain, the rest as JSON. */
export function renderValue(value: unknown): string {
  if (typeof value === "string") return quote(value);
  if (typeof value === "number") return renderNumber(value);
  return renderJson(value);
}

export function renderNumber(value: number): string {
  return isInt64(value) ? BigInt(value).toString() : renderFloat(value);
}

/** Six digits before the point at most, else an exponent of at least two digits. */
export function renderFloat(value: number): string {
  if (!Number.isFinite(value)) return Number.isNaN(value) ? "NaN" : value > 0 ? "+Inf" : "-Inf";
  if (value === 0) return "0";
  const [digits = "", power = "0"] = value.toExponential().split("e");
  const exponent = Number(power);
  // Within these exponents JavaScript writes plain decimals too.
  if (exponent >= -4 && exponent < 6) return String(value);
  const size = Math.abs(exponent).toString().padStart(2, "0");
  return `${digits}e${exponent < 0 ? "-" : "+"}${size}`;
}

const shortEscapes: ReadonlyMap<string, string> = new Map([
  ["\u0007", "\\a"],
  ["\b", "\\b"],
  ["\f", "\\f"],
  ["\n", "\\n"],
  ["\r", "\\r"],
  ["\t", "\\t"],
  ["\v", "\\v"],
  ['"', '\\"'],
  ["\\", "\\\\"],
]);

export function quote(text: string): string {
  const escaped = text.toWellFormed().replace(/["\\]|[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/gu, escapeSign);
  return `"${escaped}"`;
}

function escapeSign(sign: string): string {
  const short = shortEscapes.get(sign);
  if (short !== undefined) return short;
  const code = sign.codePointAt(0) ?? 0;
  const hex = code.toString(16);
  if (code < 0x80) return `\\x${hex.padStart(2, "0")}`;
  return code < 0x10000 ? `\\u${hex.padStart(4, "0")}` : `\\U${hex.padStart(8, "0")}`;
}

/** Keys sorted, signs of HTML escaped. Works through a list of what is left to write, for values of any depth. */
export function renderJson(value: unknown): string {
  const parts: string[] = [];
  const pending: (string | { readonly value: unknown })[] = [{ value }];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    if (typeof next === "string") parts.push(next);
    else if (Array.isArray(next.value)) {
      pending.push("]");
      for (let index = next.value.length - 1; index >= 0; index--) {
        pending.push({ value: next.value[index] });
        if (index > 0) pending.push(",");
      }
      parts.push("[");
    } else if (isJsonObject(next.value)) {
      const object = next.value;
      pending.push("}");
      const names = Object.keys(object).sort(compareCodePoints);
      for (let index = names.length - 1; index >= 0; index--) {
        const name = names[index] ?? "";
        pending.push({ value: object[name] }, `${index > 0 ? "," : ""}${renderScalar(name)}:`);
      }
      parts.push("{");
    } else parts.push(renderScalar(next.value));
  }
  return parts.join("");
}

function renderScalar(value: unknown): string {
  const text = JSON.stringify(typeof value === "string" ? value.toWellFormed() : value) ?? "null";
  return typeof value === "string" ? text.replace(/[<>&\u2028\u2029]/g, escapeUnit) : text;
}

function escapeUnit(sign: string): string {
  return `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

/** Go sorts by bytes, which is the order of code points and not that of UTF-16 units. */
function compareCodePoints(left: string, right: string): number {
  const [one, other] = [[...left], [...right]];
  for (let index = 0; index < Math.min(one.length, other.length); index++) {
    const difference = (one[index]?.codePointAt(0) ?? 0) - (other[index]?.codePointAt(0) ?? 0);
    if (difference !== 0) return difference;
  }
  return one.length - other.length;
}
