import type { ResourceDefinition } from "../kinds/resource-definition.ts";
import type { Draft, KubeObject } from "../kube-object.ts";

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
  const { managedFields } = draft.metadata;
  draft.metadata = { ...old.metadata } as Draft["metadata"];
  if (managedFields !== undefined) draft.metadata.managedFields = managedFields;
}
