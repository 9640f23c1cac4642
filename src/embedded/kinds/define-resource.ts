import { plainColumns } from "./columns.ts";
import type { ResourceDefinition } from "./resource-definition.ts";

type Essentials = Pick<ResourceDefinition, "group" | "kind" | "plural">;

/** A built-in resource; what is left out is as most of them have it. */
export function defineResource(resource: Essentials & Partial<ResourceDefinition>): ResourceDefinition {
  const { group, kind, version = "v1" } = resource;
  return {
    version,
    singular: kind.toLowerCase(),
    shortNames: [],
    categories: [],
    isNamespaced: true,
    typeName: `io.k8s.api.${group === "" ? "core" : group.split(".")[0]}.${version}.${kind}`,
    hasStatus: false,
    hasGeneration: false,
    columns: plainColumns,
    ...resource,
  };
}
