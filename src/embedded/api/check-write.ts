import type { FieldError } from "../../core/api/field-error.ts";
import type { ResourceDefinition } from "../kinds/resource-definition.ts";
import type { Draft, KubeObject } from "../kube-object.ts";
import { keyOf } from "../storage/collection.ts";
import { ApiError, badRequest, conflict, invalid, staleVersion } from "./api-error.ts";
import type { Address } from "./object-api.ts";
import { validateMetadata, validateMetadataUpdate } from "./validate-metadata.ts";

/** The namespace of the path is the namespace of the object. */
export function place({ metadata }: Draft, { isNamespaced }: ResourceDefinition, namespace: string | undefined): void {
  if (metadata.namespace === "") delete metadata.namespace;
  if (!isNamespaced || namespace === undefined) return;
  metadata.namespace ??= namespace;
  if (metadata.namespace !== namespace) {
    throw badRequest(`the namespace of the provided object does not match the namespace sent on the request`);
  }
}

/** What is written must be what the path leads to. */
export function checkName(draft: Draft, { definition, namespace, name }: Address): void {
  place(draft, definition, namespace);
  const own = draft.metadata.name ?? "";
  if (own === "") {
    throw badRequest(`the name of the object (${name} based on URL) was undeterminable: name must be provided`);
  }
  if (own !== name) {
    throw badRequest(`the name of the object (${own}) does not match the name on the URL (${name})`);
  }
}

/** Nobody can make one object another. */
export function checkUid({ metadata: { uid } }: Draft, old: KubeObject, definition: ResourceDefinition): void {
  if (uid === undefined || uid === old.metadata.uid) return;
  const value = JSON.stringify(uid);
  const error = { type: "invalid", field: "metadata.uid", value, detail: "field is immutable" } as const;
  throw invalid(definition, old.metadata.name, [error, error]);
}

/** Whether the writer knows the object that is there. */
export function checkVersion({ definition, name }: Address, { metadata }: Draft, old: KubeObject): void {
  const { uid, resourceVersion } = metadata;
  if (uid !== undefined && uid !== old.metadata.uid) {
    const what = `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${old.metadata.uid}`;
    const key = storageKey(definition, old);
    throw conflict(
      definition,
      name,
      `StorageError: invalid object, Code: 4, Key: ${key}, ResourceVersion: 0, AdditionalErrorMsg: ${what}`,
    );
  }
  if (resourceVersion === undefined || resourceVersion === "" || resourceVersion === "0") {
    if (definition.requiresVersion !== true) return;
    const field = "metadata.resourceVersion";
    const error = { type: "invalid", field, value: "0", detail: "must be specified for an update" } as const;
    throw invalid({ kind: definition.plural, group: definition.group }, name, [error]);
  }
  if (!/^\d+$/.test(resourceVersion)) {
    throw new ApiError(500, "", `strconv.ParseUint: parsing ${JSON.stringify(resourceVersion)}: invalid syntax`);
  }
  if (resourceVersion !== old.metadata.resourceVersion) throw conflict(definition, name, staleVersion);
}

/** Where etcd would keep the object, which some messages tell. */
function storageKey({ group, plural, typeName }: ResourceDefinition, object: KubeObject): string {
  const folder = typeName === undefined ? `${group}/${plural}` : plural === "nodes" ? "minions" : plural;
  return `/registry/${folder}/${keyOf(object)}`;
}

/** What is wrong with the object that is to replace the old one. */
export function updateErrors(
  draft: Draft,
  old: KubeObject,
  { definition, subresource }: { definition: ResourceDefinition; subresource: string | undefined },
): FieldError[] {
  const ofMetadata = validateMetadata(draft.metadata, definition);
  const ofChange = validateMetadataUpdate(draft.metadata, old.metadata as Draft["metadata"]);
  // The server looks for all objects alike, and then each kind looks again.
  const again = definition.typeName === undefined ? [] : ofMetadata;
  const errors = [...ofMetadata, ...ofChange, ...ofChange, ...again];
  // What a binding changes, nobody else may.
  if (subresource === "binding") return errors;
  if (subresource === "status") return [...errors, ...(definition.validateStatus?.(draft, old) ?? [])];
  return [...errors, ...(definition.validateUpdate?.(draft, old) ?? definition.validate?.(draft) ?? [])];
}
