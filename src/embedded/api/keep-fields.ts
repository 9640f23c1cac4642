import type { ResourceDefinition } from "../kinds/resource-definition.ts";
import type { Draft, KubeObject } from "../kube-object.ts";

/** What the system keeps, whatever a writer says. */
export function keepSystemFields({ metadata }: Draft, { metadata: old }: KubeObject): void {
  metadata.uid = old.uid;
  metadata.creationTimestamp = old.creationTimestamp;
  for (const field of ["generation", "deletionTimestamp", "deletionGracePeriodSeconds", "generateName"] as const) {
    if (old[field] === undefined) delete metadata[field];
    else Object.assign(metadata, { [field]: old[field] });
  }
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
  const { managedFields } = draft.metadata;
  draft.metadata = { ...old.metadata } as Draft["metadata"];
  if (managedFields !== undefined) draft.metadata.managedFields = managedFields;
}
