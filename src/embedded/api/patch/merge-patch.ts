import { isJsonObject, type JsonObject, setField } from "../../../core/api/schema/json.ts";

/** RFC 7386: objects are merged, null removes, everything else replaces. Shares with both what it need not change. */
export function mergePatch(target: unknown, patch: unknown): unknown {
  if (!isJsonObject(patch)) return patch;
  const merged: JsonObject = isJsonObject(target) ? { ...target } : {};
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete merged[key];
    else setField(merged, key, mergePatch(Object.hasOwn(merged, key) ? merged[key] : undefined, value));
  }
  return merged;
}
