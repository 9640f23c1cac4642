import { areEqual, isJsonObject, type JsonObject, setField } from "../../../core/api/schema/json.ts";
import type { FieldSchema, StructSchema, TypeSchema } from "../../schema/type-schema.ts";
import { ApiError, badRequest } from "../api-error.ts";
import { goText } from "./go-text.ts";

const orderPrefix = "$setElementOrder/";
const deletePrefix = "$deleteFromPrimitiveList/";

/**
 * Kubernetes' own merge: lists of structs are merged by their key, with directives for deleting, replacing and ordering.
 * Shares with the target what it need not change.
 */
export function strategicMergePatch(target: JsonObject, patch: JsonObject, type: StructSchema): JsonObject {
  return mergeObjects(target, patch, type);
}

function mergeObjects(target: JsonObject, patch: JsonObject, type: TypeSchema): JsonObject {
  const { $patch: directive, ...rest } = patch;
  if (directive === "replace") return rest;
  if (directive === "delete") return {};
  if (directive !== undefined) throw unknownDirective(patch);
  const merged = retainKeys(target, patch);
  const ordered = new Set<string>();
  for (const [directiveKey, order] of Object.entries(patch)) {
    if (!directiveKey.startsWith(orderPrefix)) continue;
    const key = directiveKey.slice(orderPrefix.length);
    ordered.add(key);
    mergeInOrder(merged, key, { patch: patch[key], order, field: fieldOf(type, key) });
  }
  for (const [key, value] of Object.entries(patch)) {
    if (key === "$retainKeys" || key.startsWith(orderPrefix) || ordered.has(key)) continue;
    if (key.startsWith(deletePrefix)) deleteFrom(merged, key.slice(deletePrefix.length), value);
    else if (value === null) delete merged[key];
    else mergeField(merged, key, { value, field: fieldOf(type, key) });
  }
  return merged;
}

type MergeField = Pick<FieldSchema, "type" | "patchStrategies" | "mergeKey">;

function fieldOf(type: TypeSchema, key: string): MergeField {
  const field = type.kind === "struct" ? type.fields.get(key) : undefined;
  if (field !== undefined) return field;
  return { type: type.kind === "map" ? type.values : { kind: "any" }, patchStrategies: [] };
}

function mergeField(merged: JsonObject, key: string, { value, field }: { value: unknown; field: MergeField }): void {
  const current = Object.hasOwn(merged, key) ? merged[key] : undefined;
  if (isJsonObject(value) && isJsonObject(current)) {
    const isReplaced = field.patchStrategies.includes("replace");
    setField(merged, key, isReplaced ? value : mergeObjects(current, value, field.type));
  } else if (Array.isArray(value) && Array.isArray(current)) {
    setField(merged, key, field.patchStrategies.includes("merge") ? mergeLists(current, value, field) : value);
  } else if (isJsonObject(value) && Object.hasOwn(value, "$patch")) delete merged[key];
  else setField(merged, key, withoutDirectives(value));
}

/** Directives mean nothing where there is nothing to be merged with. */
function withoutDirectives(value: unknown): unknown {
  if (Array.isArray(value)) return value.filter((item) => !isDirective(item)).map(withoutDirectives);
  if (!isJsonObject(value)) return value;
  const copy: JsonObject = {};
  for (const [key, child] of Object.entries(value)) {
    if (child !== null && !isDirective(child)) setField(copy, key, withoutDirectives(child));
  }
  return copy;
}

function isDirective(value: unknown): boolean {
  return isJsonObject(value) && Object.hasOwn(value, "$patch");
}

function retainKeys(target: JsonObject, patch: JsonObject): JsonObject {
  const { $retainKeys: keys } = patch;
  if (keys === undefined) return { ...target };
  const isStray = (key: string): boolean =>
    !key.startsWith("$") && patch[key] !== null && !(keys as unknown[]).includes(key);
  if (!Array.isArray(keys) || Object.keys(patch).some(isStray)) {
    throw badRequest("invalid patch format of retainKeys");
  }
  return Object.fromEntries(Object.entries(target).filter(([key]) => keys.includes(key)));
}

interface OrderedPatch {
  readonly patch: unknown;
  readonly order: unknown;
  readonly field: MergeField;
}

function mergeInOrder(merged: JsonObject, key: string, { patch, order, field }: OrderedPatch): void {
  const current = merged[key];
  if (!Array.isArray(order) || (patch !== undefined && !Array.isArray(patch))) {
    throw badRequest("invalid patch format of setElementOrder list");
  }
  if (patch !== undefined) checkOrder(patch, order, field.mergeKey);
  if (current === undefined && patch === undefined) return;
  const old = Array.isArray(current) ? current : [];
  const list =
    patch === undefined
      ? old
      : Array.isArray(current)
        ? mergeLists(old, patch, field)
        : (withoutDirectives(patch) as unknown[]);
  merged[key] = inOrder(list, { wanted: order, before: old, mergeKey: field.mergeKey });
}

/** What the patch lists must stand in the order that it asks for. */
function checkOrder(patch: readonly unknown[], order: readonly unknown[], mergeKey: string | undefined): void {
  const keys = order.map((item) => keyOf(item, mergeKey));
  let at = 0;
  for (const item of patch) {
    if (isDirective(item)) continue;
    const found = keys.indexOf(keyOf(item, mergeKey), at);
    if (found < 0) {
      throw failure(
        `The order in patch list:\n${goText(patch)}\n doesn't match $setElementOrder list:\n${goText(order)}\n`,
      );
    }
    at = found + 1;
  }
}

function deleteFrom(merged: JsonObject, key: string, values: unknown): void {
  const list = merged[key];
  if (!Array.isArray(values)) throw badRequest("invalid patch format of primitive list");
  if (Array.isArray(list)) merged[key] = list.filter((item) => !values.includes(item));
}

function mergeLists(current: readonly unknown[], patch: readonly unknown[], field: MergeField): unknown[] {
  const { mergeKey } = field;
  if (![...current, ...patch].some(isJsonObject)) {
    return inOrder([...new Set([...current, ...patch])], { wanted: patch, before: current, mergeKey: undefined });
  }
  if (mergeKey === undefined) throw failure(`cannot merge lists without merge key`);
  const { kept, plain } = performDirectives(current, patch, mergeKey);
  const itemType: TypeSchema = field.type.kind === "list" ? field.type.items : { kind: "any" };
  const merged = [...kept];
  for (const item of plain) {
    const key = requireKey(item, mergeKey);
    const at = merged.findIndex((other) => areEqual(keyOf(other, mergeKey), key));
    if (at < 0) merged.push(item);
    else merged[at] = mergeObjects(merged[at] as JsonObject, item, itemType);
  }
  return inOrder(merged, { wanted: plain, before: kept, mergeKey });
}

/** Elements that say what is to be done with others. */
function performDirectives(
  current: readonly unknown[],
  patch: readonly unknown[],
  mergeKey: string,
): { kept: readonly unknown[]; plain: readonly JsonObject[] } {
  let kept = current;
  let isReplaced = false;
  const plain: JsonObject[] = [];
  for (const item of patch) {
    if (!isJsonObject(item)) throw failure("list element types are not identical: [map string]");
    if (item.$patch === undefined) plain.push(item);
    else if (item.$patch === "replace") isReplaced = true;
    else if (item.$patch === "merge") throw failure("merging lists cannot yet be specified in the patch");
    else if (item.$patch !== "delete") throw unknownDirective(item);
    else {
      const key = requireKey(item, mergeKey);
      kept = kept.filter((other) => !areEqual(keyOf(other, mergeKey), key));
    }
  }
  return isReplaced ? { kept: plain, plain: [] } : { kept, plain };
}

function keyOf(item: unknown, mergeKey: string | undefined): unknown {
  return mergeKey !== undefined && isJsonObject(item) ? item[mergeKey] : item;
}

function requireKey(item: JsonObject, mergeKey: string): unknown {
  const key = item[mergeKey];
  if (key === undefined) throw failure(`map: ${goText(item)} does not contain declared merge key: ${mergeKey}`);
  return key;
}

interface Order {
  readonly wanted: readonly unknown[];
  readonly before: readonly unknown[];
  readonly mergeKey: string | undefined;
}

/** Items of the patch in its order, the others in theirs; between the two, the old order counts where it says anything. */
function inOrder(list: readonly unknown[], { wanted, before, mergeKey }: Order): unknown[] {
  const wantedKeys = wanted.map((item) => keyOf(item, mergeKey));
  const oldKeys = before.map((item) => keyOf(item, mergeKey));
  const placed = list.map((item) => {
    const key = keyOf(item, mergeKey);
    return { item, wanted: wantedKeys.indexOf(key), old: oldKeys.indexOf(key) };
  });
  const ofPatch = placed.filter((entry) => entry.wanted >= 0).sort((a, b) => a.wanted - b.wanted);
  const others = placed.filter((entry) => entry.wanted < 0).sort((a, b) => a.old - b.old);
  const result: unknown[] = [];
  let [i, j] = [0, 0];
  while (i < others.length || j < ofPatch.length) {
    const [other, own] = [others[i], ofPatch[j]];
    const isOtherFirst =
      own === undefined || (other !== undefined && own.old >= 0 && other.old >= 0 && other.old < own.old);
    if (isOtherFirst && other !== undefined) {
      result.push(other.item);
      i++;
    } else if (own !== undefined) {
      result.push(own.item);
      j++;
    }
  }
  return result;
}

function unknownDirective(patch: JsonObject): ApiError {
  return failure(`unknown patch type: ${goText(patch.$patch)} in map: ${goText(patch)}`);
}

/** What the server does not foresee, it calls its own fault. */
function failure(message: string): ApiError {
  return new ApiError(500, "", message);
}
