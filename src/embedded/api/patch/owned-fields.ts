import { areEqual, isJsonObject } from "../../../core/api/schema/json.ts";
import { emptySet, type FieldSet, fieldNode, isEmptySet } from "./field-set.ts";
import { fieldSchema, type ListOwnership, type OwnershipSchema } from "./ownership-schema.ts";

/** The name of an item in a set of fields. */
export function itemName(item: unknown, { relation, keys, defaults }: ListOwnership): string {
  if (relation === "set" || !isJsonObject(item)) return `v:${JSON.stringify(item)}`;
  const found = [...keys].sort().map((key) => [key, item[key] ?? defaults[key]] as const);
  return `k:${JSON.stringify(Object.fromEntries(found.filter(([, value]) => value !== undefined)))}`;
}

/** Whether several can own parts of a value of that shape. */
export function isShared(value: unknown, schema: OwnershipSchema): boolean {
  if (Array.isArray(value)) return value.length > 0 && schema.kind === "list" && schema.relation !== "atomic";
  if (!isJsonObject(value) || isEmptySet(value as FieldSet)) return false;
  return schema.kind === "free" || (schema.kind === "object" && !schema.isAtomic);
}

/** The parts of a shared value by their names, each with its schema. */
function partsOf(value: unknown, schema: OwnershipSchema): Map<string, Part> {
  if (Array.isArray(value)) {
    if (schema.kind !== "list") return new Map();
    return new Map(value.map((item) => [itemName(item, schema), { value: item, schema: schema.items }]));
  }
  if (!isJsonObject(value)) return new Map();
  return new Map(
    Object.entries(value).map(([name, child]) => [`f:${name}`, { value: child, schema: fieldSchema(schema, name) }]),
  );
}

export interface Part {
  readonly value: unknown;
  readonly schema: OwnershipSchema;
}

/** Every field that an applied value sets. */
export function fieldsOf(value: unknown, schema: OwnershipSchema): FieldSet {
  if (!isShared(value, schema)) return emptySet;
  const fields: { [key: string]: FieldSet } = {};
  for (const [name, part] of partsOf(value, schema)) {
    const below = fieldsOf(part.value, part.schema);
    const node = fieldNode(isEmptySet(below) || schema.kind === "list", below);
    if (node !== undefined) fields[name] = node;
  }
  return fields;
}

/** What a write has done to an object. */
export interface Changes {
  readonly added: FieldSet;
  readonly modified: FieldSet;
  readonly removed: FieldSet;
}

const noChanges: Changes = { added: emptySet, modified: emptySet, removed: emptySet };
const kinds = ["added", "modified", "removed"] as const;

/** Undefined stands for a value that is not there. */
export function compareFields(before: unknown, after: unknown, schema: OwnershipSchema): Changes {
  const old = isShared(before, schema) ? partsOf(before, schema) : new Map<string, Part>();
  const fresh = isShared(after, schema) ? partsOf(after, schema) : new Map<string, Part>();
  if (old.size === 0 && fresh.size === 0) return noChanges;
  const changes: Record<(typeof kinds)[number], { [key: string]: FieldSet }> = { added: {}, modified: {}, removed: {} };
  for (const name of new Set([...old.keys(), ...fresh.keys()])) {
    const [left, right] = [old.get(name), fresh.get(name)];
    const part = right ?? left;
    if (part === undefined || left?.value === right?.value) continue;
    const below = compareFields(left?.value, right?.value, part.schema);
    const own = ownChange(left, right);
    for (const kind of kinds) {
      const node = fieldNode(own === kind, below[kind]);
      if (node !== undefined) changes[kind][name] = node;
    }
  }
  return changes;
}

function ownChange(left: Part | undefined, right: Part | undefined): (typeof kinds)[number] | undefined {
  if (left === undefined) return "added";
  if (right === undefined) return "removed";
  const isLeaf = !isShared(left.value, left.schema) && !isShared(right.value, right.schema);
  return isLeaf && !areEqual(left.value, right.value) ? "modified" : undefined;
}
