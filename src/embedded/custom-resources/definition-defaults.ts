import type { CustomResourceDefinition } from "kubernetes-types/apiextensions/v1.js";

/** Fills in what the writer of a definition left out, in place. */
export function setDefinitionDefaults({ spec }: CustomResourceDefinition): void {
  const { names } = spec;
  if (!names.singular && names.kind) names.singular = names.kind.toLowerCase();
  if (!names.listKind && names.kind) names.listKind = `${names.kind}List`;
  spec.conversion ??= { strategy: "None" };
  const service = spec.conversion.webhook?.clientConfig?.service;
  if (service !== undefined) service.port ??= 443;
}

/** A new definition starts without a status but for the version that objects are stored in. */
export function prepareNewDefinition(definition: CustomResourceDefinition): void {
  delete definition.status;
  noteStoredVersion(definition);
}

/** Remembers every version that objects were ever stored in. */
export function noteStoredVersion(definition: CustomResourceDefinition): void {
  const storage = definition.spec.versions.find((version) => version.storage)?.name;
  const stored = definition.status?.storedVersions ?? [];
  if (storage === undefined || stored.includes(storage)) return;
  definition.status = { ...definition.status, storedVersions: [...stored, storage] };
}
