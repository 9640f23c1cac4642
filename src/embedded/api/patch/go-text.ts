import { isJsonObject } from "../../../core/api/schema/json.ts";

/** JSON as Go prints it into messages: `map[a:[1 2] b:x]`. */
export function goText(value: unknown): string {
  if (value === null || value === undefined) return "<nil>";
  if (Array.isArray(value)) return `[${value.map(goText).join(" ")}]`;
  if (!isJsonObject(value)) return String(value);
  const keys = Object.keys(value).sort();
  return `map[${keys.map((key) => `${key}:${goText(value[key])}`).join(" ")}]`;
}
