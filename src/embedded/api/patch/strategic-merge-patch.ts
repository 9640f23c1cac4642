import { isJsonObject, type JsonObject } from "../../kube-object.ts";
import type { FieldSchema, StructSchema, TypeSchema } from "../../schema/type-schema.ts";
import { ApiError, badRequest } from "../api-error.ts";
import { setOwn } from "./merge-patch.ts";

const orderPrefix = "$setElementOrder/";
const deletePrefix = "$deleteFromPrimitiveList/";

/** Kubernetes' own merge: lists of structs are merged by their key, with directives for deleting, replacing and ordering. */
export function strategicMergePatch(target: JsonObject, patch: JsonObject, type: StructSchema): JsonObject {
  return mergeObjects(target, patch, type);
}

function mergeObjects(target: JsonObject, patch: JsonObject, type: TypeSchema): JsonObject {
  const directive = patch.$patch;
  if (directive === "replace") return withoutKey(patch, "$patch");
  if (directive === "delete") return {};
  if (directive !== undefined && directive !== "merge") {
    throw badRequest(`Unknown patch type found: ${String(directive)}`);
  }
  const merged: JsonObject = retain({ ...target }, patch.$retainKeys);
  for (const [key, value] of Object.entries(patch)) {
    if (key === "$patch" || key === "$retainKeys" || key.startsWith(orderPrefix)) continue;
    if (key.startsWith(deletePrefix)) {
      deleteFrom(merged, key.slice(deletePrefix.length), value);
      continue;
    }
    if (value === null) {
      delete merged[key];
      continue;
    }
    const field = fieldOf(type, key);
    setOwn(merged, key, mergeValue(merged[key], value, field));
  }
  for (const [key, order] of Object.entries(patch)) {
    if (!key.startsWith(orderPrefix)) continue;
    const name = key.slice(orderPrefix.length);
    const list = merged[name];
    if (Array.isArray(list) && Array.isArray(order)) merged[name] = inOrder(list, order, fieldOf(type, name).mergeKey);
  }
  return merged;
}

type MergeField = Pick<FieldSchema, "type" | "patchStrategies" | "mergeKey">;

function fieldOf(type: TypeSchema, key: string): MergeField {
  const field = type.kind === "struct" ? type.fields.get(key) : undefined;
  if (field !== undefined) return field;
  return { type: type.kind === "map" ? type.values : { kind: "any" }, patchStrategies: [] };
}

function mergeValue(current: unknown, value: unknown, field: MergeField): unknown {
  if (Array.isArray(value)) {
    if (!field.patchStrategies.includes("merge")) return value;
    return mergeLists(Array.isArray(current) ? current : [], value, field);
  }
  if (!isJsonObject(value)) return value;
  if (field.patchStrategies.includes("replace")) return withoutDirectives(value);
  if (field.type.kind === "any" || field.type.kind === "raw") return mergeObjects(asObject(current), value, field.type);
  return mergeObjects(asObject(current), value, field.type);
}

function asObject(value: unknown): JsonObject {
  return isJsonObject(value) ? value : {};
}

function mergeLists(current: readonly unknown[], patch: readonly unknown[], field: MergeField): unknown[] {
  const { mergeKey } = field;
  if (mergeKey === undefined) return [...new Set([...current, ...patch])];
  const itemType: TypeSchema = field.type.kind === "list" ? field.type.items : { kind: "any" };
  if (patch.some((item) => isJsonObject(item) && item.$patch === "replace" && Object.keys(item).length === 1)) {
    return patch.filter((item) => !(isJsonObject(item) && item.$patch === "replace"));
  }
  let merged = [...current];
  for (const item of patch) {
    if (!isJsonObject(item)) throw noMergeKey(item, mergeKey);
    const key = item[mergeKey];
    if (key === undefined || key === null) throw noMergeKey(item, mergeKey);
    const isSame = (other: unknown): boolean => isJsonObject(other) && other[mergeKey] === key;
    if (item.$patch === "delete") {
      merged = merged.filter((other) => !isSame(other));
      continue;
    }
    const at = merged.findIndex(isSame);
    if (at >= 0) merged[at] = mergeObjects(merged[at] as JsonObject, item, itemType);
    else merged.push(mergeObjects({}, item, itemType));
  }
  return merged;
}

function noMergeKey(item: unknown, mergeKey: string): ApiError {
  return new ApiError(500, "", `map: ${goMap(item)} does not contain declared merge key: ${mergeKey}`);
}

function goMap(value: unknown): string {
  if (!isJsonObject(value)) return String(value);
  return `map[${Object.entries(value)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, child]) => `${key}:${goMap(child)}`)
    .join(" ")}]`;
}

function withoutKey(object: JsonObject, key: string): JsonObject {
  const { [key]: _, ...rest } = object;
  return rest;
}

function withoutDirectives(object: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([key]) => !key.startsWith("$")));
}

function retain(target: JsonObject, keys: unknown): JsonObject {
  if (!Array.isArray(keys)) return target;
  return Object.fromEntries(Object.entries(target).filter(([key]) => keys.includes(key)));
}

function deleteFrom(target: JsonObject, key: string, values: unknown): void {
  const list = target[key];
  if (!Array.isArray(list) || !Array.isArray(values)) return;
  target[key] = list.filter((item) => !values.includes(item));
}

/** The named elements in the order given; each other element stays behind the one it followed. */
function inOrder(list: readonly unknown[], order: readonly unknown[], mergeKey: string | undefined): unknown[] {
  const keyOf = (item: unknown): unknown => (mergeKey !== undefined && isJsonObject(item) ? item[mergeKey] : item);
  const wanted = order.map(keyOf);
  const ordered = wanted.flatMap((key) => list.filter((item) => keyOf(item) === key));
  const result: unknown[] = [...new Set(ordered)];
  list.forEach((item, i) => {
    if (wanted.includes(keyOf(item))) return;
    const previous = i === 0 ? -1 : result.indexOf(list[i - 1]);
    result.splice(previous + 1, 0, item);
  });
  return result;
}
