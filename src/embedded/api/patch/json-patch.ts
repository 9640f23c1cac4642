import { areEqual, fieldOf, isJsonObject, type JsonObject, setField } from "../../../core/api/schema/json.ts";
import { unprocessable } from "../api-error.ts";

/** One step of a JSON patch; whatever is left out is "" or null. */
export interface PatchOperation {
  readonly op?: string;
  readonly path?: string;
  readonly from?: string;
  readonly value?: unknown;
}

/** Characters that all copies of one patch may come to. */
const mostCopied = 3 * 1024 * 1024;

/**
 * RFC 6902 as the API server reads it: to replace a key that is not there adds it, and places in lists may count from
 * the end. Shares with the target what it need not change.
 */
export function jsonPatch(target: unknown, operations: readonly PatchOperation[]): unknown {
  let document = target;
  let copied = 0;
  for (const operation of operations) {
    if (operation.op === "copy") {
      // Copies of copies grow faster than anything that could be sent.
      copied += JSON.stringify(valueAt(document, operation.from ?? "") ?? null).length;
      if (copied > mostCopied) throw unprocessable();
    }
    document = perform(document, operation);
  }
  return document;
}

function perform(document: unknown, { op, path = "", from = "", value = null }: PatchOperation): unknown {
  switch (op) {
    case "add":
      return edit(document, path, (parent, key) => add(parent, key, value));
    case "replace":
      return path === "" ? value : edit(document, path, (parent, key) => put(parent, key, value));
    case "remove":
      return edit(document, path, remove);
    case "move":
      return edit(edit(document, from, remove), path, (parent, key) => add(parent, key, valueAt(document, from)));
    case "copy":
      return edit(document, path, (parent, key) => add(parent, key, valueAt(document, from)));
    case "test": {
      const found = path === "" ? document : (valueAt(document, path) ?? null);
      if (!areEqual(found, value)) throw unprocessable();
      return document;
    }
    default:
      throw unprocessable();
  }
}

type Parent = JsonObject | unknown[];
type Edit = (parent: Parent, key: string) => void;

/** Changes a copy of what holds the value at the path, and copies of all around it. */
function edit(document: unknown, path: string, change: Edit): unknown {
  const keys = keysOf(path);
  const copies: Parent[] = [copyOf(document)];
  for (const key of keys.slice(0, -1)) {
    const parent = copies.at(-1) as Parent;
    const child = copyOf(childOf(parent, key));
    put(parent, key, child);
    copies.push(child);
  }
  change(copies.at(-1) as Parent, keys.at(-1) ?? "");
  return copies[0];
}

function valueAt(document: unknown, path: string): unknown {
  let value = document;
  for (const key of keysOf(path)) {
    if (!isParent(value)) throw unprocessable();
    value = childOf(value, key);
  }
  return value;
}

/** What stands before the first slash does not count. */
function keysOf(path: string): string[] {
  const keys = path.split("/").slice(1);
  if (keys.length === 0) throw unprocessable();
  return keys.map((key) => key.replaceAll("~1", "/").replaceAll("~0", "~"));
}

function isParent(value: unknown): value is Parent {
  return Array.isArray(value) || isJsonObject(value);
}

function copyOf(value: unknown): Parent {
  if (!isParent(value)) throw unprocessable();
  return Array.isArray(value) ? [...value] : { ...value };
}

/** Undefined for a key that an object does not have. */
function childOf(parent: Parent, key: string): unknown {
  return Array.isArray(parent) ? parent[placeIn(parent, key, 0)] : fieldOf(parent, key);
}

function put(parent: Parent, key: string, value: unknown): void {
  if (Array.isArray(parent)) parent[placeIn(parent, key, 0)] = value;
  else setField(parent, key, value);
}

function add(parent: Parent, key: string, value: unknown = null): void {
  if (!Array.isArray(parent)) setField(parent, key, value);
  else if (key === "-") parent.push(value);
  else parent.splice(placeIn(parent, key, 1), 0, value);
}

function remove(parent: Parent, key: string): void {
  if (Array.isArray(parent)) parent.splice(placeIn(parent, key, 0), 1);
  else if (!Object.hasOwn(parent, key)) throw unprocessable();
  else delete parent[key];
}

/** `beyond`: how many places there are behind the last item. */
function placeIn(list: readonly unknown[], key: string, beyond: 0 | 1): number {
  const length = list.length + beyond;
  const place = /^[+-]?\d{1,15}$/.test(key) ? Number(key) : Number.NaN;
  if (!(place >= -length && place < length)) throw unprocessable();
  return place < 0 ? place + length : place;
}
