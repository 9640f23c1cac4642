import type { ResourceDefinition } from "../kinds/resource-definition.ts";

/** Which resources are served now; custom ones come and go. */
export class ResourceRegistry {
  readonly #byPath = new Map<string, ResourceDefinition>();

  constructor(definitions: readonly ResourceDefinition[]) {
    for (const definition of definitions) this.add(definition);
  }

  add(definition: ResourceDefinition): void {
    this.#byPath.set(pathOf(definition), definition);
  }

  remove(definition: ResourceDefinition): void {
    this.#byPath.delete(pathOf(definition));
  }

  find(group: string, version: string, plural: string): ResourceDefinition | undefined {
    return this.#byPath.get(`${group}/${version}/${plural}`);
  }

  ofKind(apiVersion: string, kind: string): ResourceDefinition | undefined {
    return this.all().find((definition) => definition.kind === kind && apiVersionOf(definition) === apiVersion);
  }

  all(): ResourceDefinition[] {
    return [...this.#byPath.values()];
  }
}

function pathOf({ group, version, plural }: ResourceDefinition): string {
  return `${group}/${version}/${plural}`;
}

/** As objects carry it: `v1`, `apps/v1`. */
export function apiVersionOf({ group, version }: { group: string; version: string }): string {
  return group === "" ? version : `${group}/${version}`;
}
