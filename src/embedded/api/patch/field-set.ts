import { isJsonObject, type JsonObject } from "../../kube-object.ts";
import type { TypeSchema } from "../../schema/type-schema.ts";

/** Fields as `fieldsV1` writes them: `f:` for a field, `k:` for an element of a keyed list, `v:` for one of a set, `.` for itself. */
export type FieldSet = { [key: string]: FieldSet };

/** The shape of a value as far as ownership goes. Custom resources and built-in types both offer it. */
export type OwnershipSchema =
  | { readonly kind: "leaf" }
  | { readonly kind: "object"; readonly field: (name: string) => OwnershipSchema }
  | {
      readonly kind: "keyed-list";
      readonly keys: readonly string[];
      readonly items: OwnershipSchema;
      readonly defaults: JsonObject;
    }
  | { readonly kind: "set" };

const leaf: OwnershipSchema = { kind: "leaf" };

/** What a custom resource without a schema for it is: nested objects, and lists as one value. */
export const untypedOwnership: OwnershipSchema = { kind: "object", field: () => untypedOwnership };

export function ownershipOf(type: TypeSchema): OwnershipSchema {
  switch (type.kind) {
    case "struct": {
      if (type.isAtomic) return leaf;
      return { kind: "object", field: (name) => ownershipOf(type.fields.get(name)?.type ?? { kind: "any" }) };
    }
    case "map":
      return { kind: "object", field: () => ownershipOf(type.values) };
    case "list":
      if (type.listType === "set") return { kind: "set" };
      if (type.listType !== "map") return leaf;
      return {
        kind: "keyed-list",
        keys: type.mapKeys,
        items: ownershipOf(type.items),
        // The only key with a default in the built-in types.
        defaults: type.mapKeys.includes("protocol") ? { protocol: "TCP" } : {},
      };
    case "raw":
    case "any":
      return untypedOwnership;
    default:
      return leaf;
  }
}

/** The name of an element in a set of fields. */
export function elementName(item: unknown, schema: OwnershipSchema): string {
  if (schema.kind === "set") return `v:${JSON.stringify(item)}`;
  if (schema.kind !== "keyed-list" || !isJsonObject(item)) return "";
  const keys = [...schema.keys].sort().map((key) => [key, item[key] ?? schema.defaults[key]]);
  return `k:${JSON.stringify(Object.fromEntries(keys.filter(([, value]) => value !== undefined)))}`;
}

/** Every field that a value sets. */
export function fieldsOf(value: unknown, schema: OwnershipSchema): FieldSet {
  if (Array.isArray(value)) {
    if (schema.kind === "set") return Object.fromEntries(value.map((item) => [elementName(item, schema), {}]));
    if (schema.kind !== "keyed-list") return {};
    return Object.fromEntries(
      value.map((item) => [elementName(item, schema), { ".": {}, ...fieldsOf(item, schema.items) }]),
    );
  }
  if (!isJsonObject(value) || schema.kind !== "object") return {};
  return Object.fromEntries(
    Object.entries(value).map(([name, child]) => [`f:${name}`, fieldsOf(child, schema.field(name))]),
  );
}

/** As lines such as `.spec.replicas`, in the words of a conflict. */
export function leavesOf(fields: FieldSet, prefix = ""): string[] {
  return Object.entries(fields).flatMap(([key, children]) => {
    if (key === ".") return [];
    const path = `${prefix}${pathElement(key)}`;
    const below = Object.keys(children).filter((child) => child !== ".");
    return below.length === 0 ? [path] : leavesOf(children, path);
  });
}

function pathElement(key: string): string {
  const kind = key.slice(0, 2);
  const text = key.slice(2);
  if (kind === "f:") return `.${text}`;
  if (kind === "v:") return `[=${text}]`;
  const keys = JSON.parse(text) as JsonObject;
  return `[${Object.entries(keys)
    .map(([name, value]) => `${name}=${JSON.stringify(value)}`)
    .join(",")}]`;
}

/** Fields of both. */
export function intersect(a: FieldSet, b: FieldSet): FieldSet {
  const common: FieldSet = {};
  for (const [key, children] of Object.entries(a)) {
    const other = b[key];
    if (other === undefined) continue;
    const below = intersect(children, other);
    // A field of which the two own different parts is not common to them.
    if (Object.keys(below).length > 0 || Object.keys(children).length === 0 || Object.keys(other).length === 0)
      common[key] = below;
  }
  return common;
}

/** Fields of the first that are not in the second. */
export function subtract(a: FieldSet, b: FieldSet): FieldSet {
  const rest: FieldSet = {};
  for (const [key, children] of Object.entries(a)) {
    const other = b[key];
    if (other === undefined) {
      rest[key] = children;
      continue;
    }
    const below = subtract(children, other);
    if (Object.keys(below).some((child) => child !== ".")) rest[key] = below;
  }
  return rest;
}

export function unite(a: FieldSet, b: FieldSet): FieldSet {
  const all: FieldSet = { ...a };
  for (const [key, children] of Object.entries(b))
    all[key] = key in all ? unite(all[key] as FieldSet, children) : children;
  return all;
}

export function isEmptySet(fields: FieldSet): boolean {
  return Object.keys(fields).every((key) => key === ".");
}

/** Fields whose value is not the same in both objects; those that only one of them has are different. */
export function changedFields(before: unknown, after: unknown, schema: OwnershipSchema): FieldSet {
  const changed: FieldSet = {};
  if (schema.kind === "object" && isJsonObject(after)) {
    const old = isJsonObject(before) ? before : {};
    for (const [name, value] of Object.entries(after)) {
      addChange(changed, `f:${name}`, { before: old[name], after: value, schema: schema.field(name) });
    }
  } else if (schema.kind === "keyed-list" && Array.isArray(after)) {
    const old = new Map((Array.isArray(before) ? before : []).map((item) => [elementName(item, schema), item]));
    for (const item of after) {
      const name = elementName(item, schema);
      addChange(changed, name, { before: old.get(name), after: item, schema: schema.items });
    }
  } else if (schema.kind === "set" && Array.isArray(after)) {
    const old = new Set((Array.isArray(before) ? before : []).map((item) => elementName(item, schema)));
    for (const item of after) if (!old.has(elementName(item, schema))) changed[elementName(item, schema)] = {};
  }
  return changed;
}

interface Difference {
  readonly before: unknown;
  readonly after: unknown;
  readonly schema: OwnershipSchema;
}

function addChange(changed: FieldSet, key: string, { before, after, schema }: Difference): void {
  const isBranch =
    schema.kind !== "leaf" &&
    typeof after === "object" &&
    after !== null &&
    !(Array.isArray(after) && schema.kind === "object");
  if (!isBranch) {
    if (JSON.stringify(before) !== JSON.stringify(after)) changed[key] = {};
    return;
  }
  if (before === undefined) {
    changed[key] = fieldsOf(after, schema);
    return;
  }
  const below = changedFields(before, after, schema);
  if (!isEmptySet(below)) changed[key] = below;
}
