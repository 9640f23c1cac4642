import type { ResourceDefinition } from "../kinds/resource-definition.ts";
import type { Draft, KubeObject } from "../kube-object.ts";
import { structNamed } from "../schema/type-schema.ts";
import { apiVersionOf } from "./resource-registry.ts";

/** The draft as the resource that stores it names things. */
export function toStored(draft: Draft, { storedAs }: ResourceDefinition): Draft {
  if (storedAs === undefined) return draft;
  const renamed = Object.entries(draft).map(([field, value]) => [storedAs.fields[field] ?? field, value] as const);
  return { ...(Object.fromEntries(renamed) as Draft), apiVersion: apiVersionOf(storedAs) };
}

/** What is stored as this resource shows it. */
export function viewOf(object: KubeObject, definition: ResourceDefinition): KubeObject {
  const { storedAs } = definition;
  const apiVersion = apiVersionOf(definition);
  // Versions of a custom resource differ in nothing but their name.
  if (storedAs === undefined) return object.apiVersion === apiVersion ? object : { ...object, apiVersion };
  const names = new Map(Object.entries(storedAs.fields).map(([own, stored]) => [stored, own]));
  const { fields } = structNamed(definition.typeName ?? "");
  const renamed = Object.entries(object)
    .map(([field, value]) => [names.get(field) ?? field, value] as const)
    .filter(([field, value]) => value !== "" || fields.get(field)?.omitsZero !== true);
  return { ...(Object.fromEntries(renamed) as KubeObject), apiVersion };
}
