import type { ManagedFieldsEntry } from "kubernetes-types/meta/v1.js";
import { isJsonObject, type JsonObject, type KubeObject } from "../../kube-object.ts";
import { ApiError } from "../api-error.ts";
import {
  changedFields,
  elementName,
  type FieldSet,
  fieldsOf,
  intersect,
  isEmptySet,
  leavesOf,
  type OwnershipSchema,
  subtract,
} from "./field-set.ts";

export interface Applied {
  readonly manager: string;
  readonly isForced: boolean;
  readonly schema: OwnershipSchema;
  readonly now: string;
  readonly apiVersion: string;
}

/**
 * Server-side apply: the fields of the configuration are set and owned by the manager, fields that it owned and no
 * longer mentions are removed unless somebody else owns them, and a field that another manager owns with another value
 * is a conflict. Ownership is kept from the first apply on; before that, nobody but "before-first-apply" owns anything.
 */
export function applyConfiguration(
  current: KubeObject | undefined,
  configuration: JsonObject,
  by: Applied,
): JsonObject {
  const wanted = withoutSystemFields(configuration);
  const fields = ownFields(fieldsOf(wanted, by.schema));
  if (current === undefined)
    return { ...wanted, metadata: { ...asObject(wanted.metadata), managedFields: [entry(fields, by)] } };
  const entries = current.metadata.managedFields ?? [entryBeforeFirstApply(current, by)];
  const own = entries.find(isApplierEntry(by));
  const others = entries.filter((candidate) => candidate !== own);
  const conflicts = others.flatMap((other) => conflictsWith(other, { current, wanted, fields, by }));
  if (conflicts.length > 0 && !by.isForced) throw conflictError(conflicts);
  const keptByOthers = others.map((other) =>
    by.isForced ? subtract(fieldsIn(other), conflictFields(other, { current, wanted, fields, by })) : fieldsIn(other),
  );
  const dropped = keptByOthers.reduce<FieldSet>(
    (rest, kept) => subtract(rest, kept),
    own === undefined ? {} : subtract(fieldsIn(own), fields),
  );
  const merged = mergeApplied(removeFields(current, dropped, by.schema), wanted, by.schema) as JsonObject;
  const kept = others
    .map((other, i) => ({ ...other, fieldsV1: keptByOthers[i] as object }))
    .filter(({ fieldsV1 }) => !isEmptySet(fieldsV1 as FieldSet));
  return { ...merged, metadata: { ...asObject(merged.metadata), managedFields: [...kept, entry(fields, by)] } };
}

/** Notes who changed what by other means, on objects whose ownership is kept. */
export function trackUpdate(before: KubeObject, after: JsonObject, by: Applied): ManagedFieldsEntry[] | undefined {
  const entries = before.metadata.managedFields;
  if (entries === undefined) return undefined;
  const changed = ownFields(changedFields(before, after, by.schema));
  if (isEmptySet(changed)) return entries as ManagedFieldsEntry[];
  const isOwn = (candidate: ManagedFieldsEntry): boolean =>
    candidate.manager === by.manager && candidate.operation === "Update";
  const kept = entries
    .map((other) => (isOwn(other) ? other : { ...other, fieldsV1: subtract(fieldsIn(other), changed) as object }))
    .filter(({ fieldsV1 }) => !isEmptySet(fieldsV1 as FieldSet));
  const own = kept.find(isOwn);
  const fieldsV1 = { ...(own?.fieldsV1 as FieldSet | undefined), ...changed };
  return [...kept.filter((other) => !isOwn(other)), { ...entry(fieldsV1, by), operation: "Update" }];
}

function entry(fields: FieldSet, { manager, apiVersion, now }: Applied): ManagedFieldsEntry {
  return { manager, operation: "Apply", apiVersion, time: now, fieldsType: "FieldsV1", fieldsV1: fields };
}

function isApplierEntry({ manager }: Applied) {
  return (candidate: ManagedFieldsEntry): boolean => candidate.manager === manager && candidate.operation === "Apply";
}

function entryBeforeFirstApply(current: KubeObject, by: Applied): ManagedFieldsEntry {
  const fields = ownFields(fieldsOf(withoutSystemFields(current as unknown as JsonObject), by.schema));
  return { ...entry(fields, { ...by, manager: "before-first-apply" }), operation: "Update" };
}

function fieldsIn({ fieldsV1 }: ManagedFieldsEntry): FieldSet {
  return (fieldsV1 ?? {}) as FieldSet;
}

interface Comparison {
  readonly current: KubeObject;
  readonly wanted: JsonObject;
  readonly fields: FieldSet;
  readonly by: Applied;
}

function conflictFields(other: ManagedFieldsEntry, { current, wanted, fields, by }: Comparison): FieldSet {
  const changed = ownFields(changedFields(current, wanted, by.schema));
  return intersect(intersect(fieldsIn(other), fields), changed);
}

interface Conflict {
  readonly manager: string;
  readonly field: string;
}

function conflictsWith(other: ManagedFieldsEntry, comparison: Comparison): Conflict[] {
  const described =
    other.operation === "Apply"
      ? `"${other.manager}"`
      : `"${other.manager}"${other.subresource === undefined ? "" : ` with subresource "${other.subresource}"`} using ${other.apiVersion}${other.time === undefined ? "" : ` at ${other.time}`}`;
  return leavesOf(conflictFields(other, comparison)).map((field) => ({ manager: described, field }));
}

function conflictError(conflicts: readonly Conflict[]): ApiError {
  const count = conflicts.length;
  const byManager = new Map<string, string[]>();
  for (const { manager, field } of conflicts) byManager.set(manager, [...(byManager.get(manager) ?? []), field]);
  const [first] = conflicts;
  const lines =
    count === 1 && first !== undefined
      ? `Apply failed with 1 conflict: conflict with ${first.manager}: ${first.field}`
      : `Apply failed with ${count} conflicts: ${[...byManager].map(([manager, fields]) => `conflicts with ${manager}:\n${fields.map((field) => `- ${field}`).join("\n")}`).join("\n")}`;
  return new ApiError(409, "Conflict", lines, {
    causes: conflicts.map(({ manager, field }) => ({
      reason: "FieldManagerConflict",
      message: `conflict with ${manager}`,
      field,
    })),
  });
}

function withoutSystemFields(object: JsonObject): JsonObject {
  const {
    managedFields: _,
    creationTimestamp: __,
    resourceVersion: ___,
    uid: ____,
    generation: _____,
    ...metadata
  } = asObject(object.metadata);
  return { ...object, metadata };
}

/** Nobody owns what identifies an object. */
function ownFields(fields: FieldSet): FieldSet {
  const { "f:apiVersion": _, "f:kind": __, "f:metadata": metadata, ...rest } = fields;
  const { "f:name": ___, "f:namespace": ____, ...owned } = metadata ?? {};
  return isEmptySet(owned) ? rest : { "f:metadata": owned, ...rest };
}

function asObject(value: unknown): JsonObject {
  return isJsonObject(value) ? value : {};
}

function removeFields(value: unknown, fields: FieldSet, schema: OwnershipSchema): unknown {
  if (isEmptySet(fields)) return value;
  if (Array.isArray(value)) {
    return value.flatMap((item) => {
      const below = fields[elementName(item, schema)];
      if (below === undefined) return [item];
      return "." in below || schema.kind !== "keyed-list" ? [] : [removeFields(item, below, schema.items)];
    });
  }
  if (!isJsonObject(value) || schema.kind !== "object") return value;
  const copy = { ...value };
  for (const [key, below] of Object.entries(fields)) {
    const name = key.slice(2);
    if (!(name in copy)) continue;
    if (isEmptySet(below)) delete copy[name];
    else copy[name] = removeFields(copy[name], below, schema.field(name));
  }
  return copy;
}

function mergeApplied(current: unknown, wanted: unknown, schema: OwnershipSchema): unknown {
  if (schema.kind === "object" && isJsonObject(wanted)) {
    const merged: JsonObject = isJsonObject(current) ? { ...current } : {};
    for (const [name, value] of Object.entries(wanted))
      merged[name] = mergeApplied(merged[name], value, schema.field(name));
    return merged;
  }
  if (!Array.isArray(wanted) || !Array.isArray(current)) return wanted;
  if (schema.kind === "set") return [...new Set([...current, ...wanted])];
  if (schema.kind !== "keyed-list") return wanted;
  const old = new Map(current.map((item) => [elementName(item, schema), item]));
  const names = new Set(wanted.map((item) => elementName(item, schema)));
  const merged = wanted.map((item) => mergeApplied(old.get(elementName(item, schema)), item, schema.items));
  return [...merged, ...current.filter((item) => !names.has(elementName(item, schema)))];
}
