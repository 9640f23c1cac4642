import type { ResourceDefinition } from "../kinds/resource-definition.ts";

/** Which resources are served now; custom ones come and go. */
export class ResourceRegistry {
  readonly #byPath = new Map<string, ResourceDefinition>();
  #revision = 0;

  constructor(definitions: readonly ResourceDefinition[]) {
    for (const definition of definitions) this.add(definition);
  }

  /** Counts up whenever a resource comes or goes. */
  get revision(): number {
    return this.#revision;
  }

  add(definition: ResourceDefinition): void {
    this.#revision++;
    this.#byPath.set(pathOf(definition), definition);
  }

  remove(definition: ResourceDefinition): void {
    this.#revision++;
    this.#byPath.delete(pathOf(definition));
  }

  find(group: string, version: string, plural: string): ResourceDefinition | undefined {
    return this.#byPath.get(`${group}/${version}/${plural}`);
  }

  /** One of the kinds that the cluster itself depends on, which are always served. */
  builtIn(group: string, plural: string): ResourceDefinition {
    const definition = this.find(group, "v1", plural);
    if (definition === undefined) throw new Error(`The API serves no ${group === "" ? plural : `${plural}.${group}`}`);
    return definition;
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
