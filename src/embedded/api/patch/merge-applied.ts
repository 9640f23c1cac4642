import { isJsonObject, type JsonObject, setField } from "../../../core/api/schema/json.ts";
import { type FieldSet, fieldNode, isEmptySet, isMember } from "./field-set.ts";
import { isShared, itemName } from "./owned-fields.ts";
import { fieldSchema, type ListOwnership, type OwnershipSchema } from "./ownership-schema.ts";

/** The live value with what is applied put in. */
export function mergeApplied(live: unknown, applied: unknown, schema: OwnershipSchema): unknown {
  if (applied === undefined) return live;
  if (!isShared(live, schema) && !isShared(applied, schema)) return applied;
  if (schema.kind === "list") return mergeLists(asList(live), asList(applied), schema);
  const merged: JsonObject = { ...asObject(live) };
  for (const [name, value] of Object.entries(asObject(applied))) {
    const current = Object.hasOwn(merged, name) ? merged[name] : undefined;
    setField(merged, name, mergeApplied(current, value, fieldSchema(schema, name)));
  }
  return merged;
}

function asList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function asObject(value: unknown): JsonObject {
  return isJsonObject(value) ? value : {};
}

/** Items of both in the order that is applied; those of the live list alone stay where they are among the others. */
function mergeLists(live: readonly unknown[], applied: readonly unknown[], schema: ListOwnership): unknown[] {
  const liveNames = live.map((item) => itemName(item, schema));
  const appliedNames = applied.map((item) => itemName(item, schema));
  const [liveSet, appliedSet] = [new Set(liveNames), new Set(appliedNames)];
  const shared = appliedNames.filter((name) => liveSet.has(name));
  const merged: unknown[] = [];
  const done = new Set<string>();
  const take = (at: number): void => {
    const name = appliedNames[at] ?? "";
    done.add(name);
    merged.push(mergeApplied(live[liveNames.indexOf(name)], applied[at], schema.items));
    if (shared[0] === name) shared.shift();
  };
  let [i, j] = [0, 0];
  while (i < live.length || j < applied.length) {
    const [old, fresh] = [liveNames[i], appliedNames[j]];
    if (old !== undefined && fresh !== undefined) {
      if (old === fresh) {
        take(j++);
        i++;
        continue;
      }
      // An item that both have, but whose turn it is not.
      if (appliedSet.has(old) && shared.length > 0 && shared[0] !== old) {
        i++;
        continue;
      }
    }
    if (old !== undefined && !appliedSet.has(old)) {
      merged.push(live[i++]);
      continue;
    }
    if (old !== undefined && done.has(old)) i++;
    if (fresh !== undefined) take(j++);
  }
  return merged;
}

/** The value without those fields; what loses all that it had is gone too. */
export function removeFields(value: unknown, fields: FieldSet, schema: OwnershipSchema): unknown {
  if (isEmptySet(fields) || !isShared(value, schema)) return value;
  if (schema.kind === "list") {
    const kept = asList(value).flatMap((item) => {
      const below = fields[itemName(item, schema)];
      if (isMember(below)) return [];
      return [below === undefined ? item : removeFields(item, below, schema.items)];
    });
    return kept.length === 0 ? undefined : kept;
  }
  const kept: JsonObject = {};
  for (const [name, child] of Object.entries(asObject(value))) {
    const below = fields[`f:${name}`];
    if (isMember(below)) continue;
    const rest = below === undefined ? child : removeFields(child, below, fieldSchema(schema, name));
    if (rest !== undefined) setField(kept, name, rest);
  }
  return isEmptySet(kept as FieldSet) ? undefined : kept;
}

/** The set with the declared fields that lead to what is in it. */
export function withNamedFields(fields: FieldSet, schema: OwnershipSchema): FieldSet {
  const result: { [key: string]: FieldSet } = {};
  for (const [key, node] of Object.entries(fields)) {
    if (key === ".") continue;
    const isNamed = key.startsWith("f:") && schema.kind === "object" && schema.hasNamedFields;
    const child = schema.kind === "list" ? schema.items : fieldSchema(schema, key.slice(2));
    const made = fieldNode(isNamed || isMember(node), withNamedFields(node, child));
    if (made !== undefined) result[key] = made;
  }
  return result;
}
