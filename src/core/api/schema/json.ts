/** Any JSON object. */
export type JsonObject = { [key: string]: unknown };

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Sees own fields only, so that a field called `constructor` or `toString` is absent unless somebody wrote it. */
export function fieldOf(object: JsonObject, name: string): unknown {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}

/** A plain assignment to `__proto__` would change the prototype instead. */
export function setField(object: JsonObject, name: string, value: unknown): void {
  if (name !== "__proto__") object[name] = value;
  else Object.defineProperty(object, name, { value, writable: true, enumerable: true, configurable: true });
}

/** Neither this nor `areEqual` recurses: what users nest deeply must not exhaust the stack. */
export function copyJson(value: unknown): unknown {
  const unfilled: [source: object, copy: object][] = [];
  const begin = (source: unknown): unknown => {
    if (typeof source !== "object" || source === null) return source;
    const copy = Array.isArray(source) ? [] : {};
    unfilled.push([source, copy]);
    return copy;
  };
  const whole = begin(value);
  for (let next = unfilled.pop(); next !== undefined; next = unfilled.pop()) {
    const [source, copy] = next;
    if (Array.isArray(source)) for (const item of source) (copy as unknown[]).push(begin(item));
    else
      for (const name of Object.keys(source)) setField(copy as JsonObject, name, begin((source as JsonObject)[name]));
  }
  return whole;
}

export function areEqual(left: unknown, right: unknown): boolean {
  const pending: [unknown, unknown][] = [[left, right]];
  for (let pair = pending.pop(); pair !== undefined; pair = pending.pop()) {
    const [one, other] = pair;
    if (one === other) continue;
    if (Array.isArray(one)) {
      if (!Array.isArray(other) || one.length !== other.length) return false;
      for (let index = 0; index < one.length; index++) pending.push([one[index], other[index]]);
    } else if (isJsonObject(one)) {
      if (!isJsonObject(other)) return false;
      const names = Object.keys(one);
      if (names.length !== Object.keys(other).length) return false;
      for (const name of names) {
        if (!Object.hasOwn(other, name)) return false;
        pending.push([one[name], other[name]]);
      }
    } else return false;
  }
  return true;
}
