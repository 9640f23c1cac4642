import type { ManagedFieldsEntry } from "kubernetes-types/meta/v1.js";
import { areEqual, isJsonObject, type JsonObject } from "../../../core/api/schema/json.ts";
import type { KubeObject } from "../../kube-object.ts";
import { ApiError } from "../api-error.ts";
import { emptySet, type FieldSet, fieldNode, intersect, isEmptySet, pathsOf, subtract, unite } from "./field-set.ts";
import { mergeApplied, removeFields, withNamedFields } from "./merge-applied.ts";
import { type Changes, compareFields, fieldsOf } from "./owned-fields.ts";
import type { OwnershipSchema } from "./ownership-schema.ts";

/** Who writes, and what. */
export interface Writer {
  readonly manager: string;
  readonly schema: OwnershipSchema;
  readonly now: string;
  readonly apiVersion: string;
  readonly hasStatus: boolean;
  readonly subresource?: string;
}

/**
 * Server-side apply: the fields of the configuration are set and owned by the manager, fields that it owned and no
 * longer mentions are removed unless somebody else owns them, and a field that another manager owns with another value
 * is a conflict. Ownership is kept from the first apply on; before that, nobody but "before-first-apply" owns anything.
 */
export function applyConfiguration(
  live: KubeObject | undefined,
  configuration: JsonObject,
  by: Writer & { readonly isForced: boolean },
): JsonObject {
  const current: JsonObject = withoutOwners(live ?? {});
  const set = ownFields(fieldsOf(configuration, by.schema), by);
  const entries = live === undefined ? [] : (live.metadata.managedFields ?? [entryBeforeFirstApply(live, by)]);
  const own = entries.find((entry) => isEntryOf(entry, by, "Apply"));
  const others = entries.filter((entry) => entry !== own);
  const merged = mergeApplied(current, configuration, by.schema) as JsonObject;
  const owned = others.reduce((all, entry) => unite(all, fieldsIn(entry)), set);
  const pruned = own === undefined ? merged : prune(merged, { last: fieldsIn(own), owned }, by.schema);
  const changes = ownChanges(compareFields(current, pruned, by.schema), by);
  if (!by.isForced) refuseConflicts(others, changes);
  const isChanged = !areEqual(current, pruned);
  const time = isChanged ? by.now : own?.time;
  const kept = others.flatMap((entry) => withoutChanges(entry, changes));
  const applied = isEmptySet(set) ? [] : [entryOf(set, by, { operation: "Apply", time })];
  return withOwners(pruned, [...kept, ...applied]);
}

/** Notes who changed what by other means, on objects whose ownership is kept. */
export function trackUpdate(
  entries: readonly ManagedFieldsEntry[],
  write: { readonly before: unknown; readonly after: unknown },
  by: Writer,
): ManagedFieldsEntry[] {
  const changes = ownChanges(compareFields(write.before, write.after, by.schema), by);
  const kept = entries.flatMap((entry) => withoutChanges(entry, changes));
  const taken = unite(changes.added, changes.modified);
  if (isEmptySet(taken)) return sorted(kept);
  const own = kept.find((entry) => isEntryOf(entry, by, "Update"));
  const set = own === undefined ? taken : unite(fieldsIn(own), taken);
  const others = kept.filter((entry) => entry !== own);
  return sorted([...others, entryOf(set, by, { operation: "Update", time: by.now })]);
}

/** What the manager applied last time and not this time goes, unless it is owned by somebody. */
function prune(merged: JsonObject, sets: { last: FieldSet; owned: FieldSet }, schema: OwnershipSchema): JsonObject {
  const named = (fields: FieldSet): FieldSet => withNamedFields(fields, schema);
  const last = named(sets.last);
  const all = named(fieldsOf(merged, schema));
  const stripped = removeFields(merged, last, schema);
  const kept = unite(named(fieldsOf(stripped, schema)), named(sets.owned));
  const ownedOnly = removeFields(merged, subtract(all, kept), schema);
  const gone = intersect(subtract(all, named(fieldsOf(ownedOnly, schema))), last);
  return removeFields(merged, gone, schema) as JsonObject;
}

function withoutChanges(entry: ManagedFieldsEntry, { added, modified, removed }: Changes): ManagedFieldsEntry[] {
  const lost = unite(unite(added, modified), removed);
  const fieldsV1 = subtract(fieldsIn(entry), lost);
  return isEmptySet(fieldsV1) ? [] : [{ ...entry, fieldsV1 }];
}

function isEntryOf(
  entry: ManagedFieldsEntry,
  { manager, subresource, apiVersion }: Writer,
  operation: string,
): boolean {
  return (
    entry.manager === manager &&
    entry.operation === operation &&
    entry.subresource === subresource &&
    (operation === "Apply" || entry.apiVersion === apiVersion)
  );
}

function entryOf(
  fieldsV1: FieldSet,
  { manager, apiVersion, subresource }: Writer,
  { operation, time }: { operation: string; time: string | undefined },
): ManagedFieldsEntry {
  return {
    manager,
    operation,
    apiVersion,
    ...(time === undefined ? {} : { time }),
    fieldsType: "FieldsV1",
    fieldsV1,
    ...(subresource === undefined ? {} : { subresource }),
  };
}

function entryBeforeFirstApply(live: KubeObject, by: Writer): ManagedFieldsEntry {
  const { subresource: _, ...writer } = by;
  const anyone = { ...writer, manager: "before-first-apply" };
  return entryOf(ownFields(fieldsOf(live, by.schema), anyone), anyone, { operation: "Update", time: by.now });
}

function fieldsIn({ fieldsV1 }: ManagedFieldsEntry): FieldSet {
  return (fieldsV1 ?? emptySet) as FieldSet;
}

function withOwners(object: JsonObject, entries: readonly ManagedFieldsEntry[]): JsonObject {
  const metadata = isJsonObject(object.metadata) ? object.metadata : {};
  return { ...object, metadata: entries.length === 0 ? metadata : { ...metadata, managedFields: sorted(entries) } };
}

function withoutOwners(object: { readonly [field: string]: unknown }): JsonObject {
  if (!isJsonObject(object.metadata)) return { ...object };
  const { managedFields: _, ...metadata } = object.metadata;
  return { ...object, metadata };
}

/** Those who apply first, then by time and name. */
function sorted(entries: readonly ManagedFieldsEntry[]): ManagedFieldsEntry[] {
  const order = ({
    operation = "",
    time = "",
    manager = "",
    apiVersion = "",
    subresource = "",
  }: ManagedFieldsEntry) => [operation, time, manager, apiVersion, subresource];
  return [...entries].sort((a, b) => {
    const [left, right] = [order(a), order(b)];
    const at = left.findIndex((text, i) => text !== right[i]);
    return at < 0 ? 0 : (left[at] ?? "") < (right[at] ?? "") ? -1 : 1;
  });
}

const ownedByNobody = [
  "name",
  "namespace",
  "creationTimestamp",
  "deletionTimestamp",
  "deletionGracePeriodSeconds",
  "selfLink",
  "uid",
  "generation",
  "managedFields",
  "resourceVersion",
];

/** Without what identifies the object, and without what a write of this kind does not touch. */
function ownFields(fields: FieldSet, { hasStatus, subresource }: Writer): FieldSet {
  const { "f:apiVersion": _, "f:kind": __, "f:metadata": metadata = emptySet, ...rest } = fields;
  if (subresource === "status") {
    const status = rest["f:status"];
    return status === undefined ? emptySet : { "f:status": status };
  }
  const below = Object.entries(metadata).filter(([key]) => key !== "." && !ownedByNobody.includes(key.slice(2)));
  const node = fieldNode(false, Object.fromEntries(below));
  const { "f:status": status, ...others } = rest;
  return {
    ...(node === undefined ? {} : { "f:metadata": node }),
    ...others,
    ...(hasStatus || status === undefined ? {} : { "f:status": status }),
  };
}

function ownChanges({ added, modified, removed }: Changes, by: Writer): Changes {
  return { added: ownFields(added, by), modified: ownFields(modified, by), removed: ownFields(removed, by) };
}

function refuseConflicts(others: readonly ManagedFieldsEntry[], { added, modified }: Changes): void {
  const changed = unite(added, modified);
  const conflicts = others
    .map((entry) => ({ manager: describe(entry), fields: pathsOf(intersect(fieldsIn(entry), changed)) }))
    .filter(({ fields }) => fields.length > 0)
    .sort((a, b) => (a.manager < b.manager ? -1 : 1));
  if (conflicts.length === 0) return;
  const causes = conflicts.flatMap(({ manager, fields }) =>
    fields.map((field) => ({ reason: "FieldManagerConflict", message: `conflict with ${manager}`, field })),
  );
  const [first] = causes;
  const message =
    causes.length === 1
      ? `Apply failed with 1 conflict: ${first?.message}: ${first?.field}`
      : `Apply failed with ${causes.length} conflicts: ${conflicts.map(describeConflict).join("\n")}`;
  throw new ApiError(409, "Conflict", message, { causes });
}

function describe({ manager, operation, subresource, apiVersion }: ManagedFieldsEntry): string {
  const part = subresource === undefined ? "" : ` with subresource "${subresource}"`;
  return `"${manager}"${part}${operation === "Update" ? ` using ${apiVersion}` : ""}`;
}

function describeConflict({ manager, fields }: { manager: string; fields: readonly string[] }): string {
  return [`conflicts with ${manager}:`, ...fields.map((field) => `- ${field}`)].join("\n");
}
