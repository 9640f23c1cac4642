import type { OwnerReference } from "kubernetes-types/meta/v1.js";
import { areEqual } from "../../core/api/schema/json.ts";
import type { ResourceDefinition } from "../kinds/resource-definition.ts";
import type { Draft, KubeObject } from "../kube-object.ts";
import { apiVersionOf } from "./resource-registry.ts";
import type { WriteOptions } from "./write-options.ts";

/** What the system keeps, whatever a writer says. */
export function keepSystemFields({ metadata }: Draft, { metadata: old }: KubeObject): void {
  metadata.uid = old.uid;
  metadata.creationTimestamp = old.creationTimestamp;
  if (old.generation === undefined) delete metadata.generation;
  else metadata.generation = old.generation;
  if (old.deletionTimestamp !== undefined) metadata.deletionTimestamp = old.deletionTimestamp;
  if (old.deletionGracePeriodSeconds !== undefined)
    metadata.deletionGracePeriodSeconds ??= old.deletionGracePeriodSeconds;
  delete metadata.selfLink;
}

export function keepStatus(draft: Draft, old: KubeObject): void {
  if (old.status === undefined) delete draft.status;
  else draft.status = old.status;
}

export function keepAllButStatus(draft: Draft, old: KubeObject, definition: ResourceDefinition): void {
  for (const field of new Set([...Object.keys(draft), ...Object.keys(old)])) {
    if (field === "status" || field === "metadata") continue;
    if (old[field] === undefined) delete draft[field];
    else draft[field] = old[field];
  }
  // The status of a custom resource never touches its metadata; that of a built-in kind may carry labels along.
  if (definition.typeName !== undefined) return;
  // It may be stored under the name of another version, in which it was written.
  draft.apiVersion = apiVersionOf(definition);
  const { managedFields } = draft.metadata;
  draft.metadata = { ...old.metadata } as Draft["metadata"];
  if (managedFields !== undefined) draft.metadata.managedFields = managedFields;
}

/** Who is named twice owns the object once. */
export function dropRepeatedOwners({ metadata }: Draft, { warnings }: WriteOptions): void {
  const owners = metadata.ownerReferences ?? [];
  if (owners.length < 2) return;
  const seen = new Map<string, OwnerReference[]>();
  const repeated = new Set<OwnerReference>();
  for (const owner of owners) {
    const others = seen.get(owner.uid) ?? [];
    if (others.some((other) => areEqual(other, owner))) repeated.add(owner);
    else seen.set(owner.uid, [...others, owner]);
  }
  if (repeated.size === 0) return;
  metadata.ownerReferences = owners.filter((owner) => !repeated.has(owner));
  const uids = [...new Set([...repeated].map(({ uid }) => uid))].join(", ");
  warnings?.push(
    `.metadata.ownerReferences contains duplicate entries; API server dedups owner references in 1.20+, and may reject such requests as early as 1.24; please fix your requests; duplicate UID(s) observed: ${uids}`,
  );
}
