import { isJsonObject, type JsonObject } from "../../kube-object.ts";

/** RFC 7386: objects are merged, null removes, everything else replaces. Shares with both what it need not change. */
export function mergePatch(target: unknown, patch: unknown): unknown {
  if (!isJsonObject(patch)) return patch;
  const merged: JsonObject = isJsonObject(target) ? { ...target } : {};
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete merged[key];
    else setOwn(merged, key, mergePatch(merged[key], value));
  }
  return merged;
}

/** Sets a key of JSON, whatever its name: `__proto__` is an ordinary key on the wire. */
export function setOwn(target: JsonObject, key: string, value: unknown): void {
  if (key === "__proto__")
    Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true });
  else target[key] = value;
}
