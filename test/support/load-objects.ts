import type { EmbeddedCluster } from "../../src/embedded/cluster.ts";
import type { ResourceDefinition } from "../../src/embedded/kinds/resource-definition.ts";

interface Loadable {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
}

/** Brings objects into a cluster, with the statuses that they have; those that are there already stay as they are. */
export function loadObjects(cluster: EmbeddedCluster, objects: readonly object[]): void {
  const { api } = cluster;
  for (const object of objects as readonly Loadable[]) {
    const definition = servedKind(cluster, object);
    if (definition === undefined) throw new Error(`Nothing serves ${object.kind} of ${object.apiVersion}`);
    const { name, namespace = "default" } = object.metadata;
    const where = definition.isNamespaced ? { namespace } : {};
    if (api.find({ definition, name, ...where }) !== undefined) continue;
    api.create(definition, JSON.parse(JSON.stringify(object)) as object, {
      fieldValidation: "Strict",
      isRestored: true,
      ...where,
    });
  }
  cluster.settle();
}

/** What a definition defines can come right after it. */
function servedKind(cluster: EmbeddedCluster, { apiVersion, kind }: Loadable): ResourceDefinition | undefined {
  const { registry } = cluster.api;
  const served = registry.ofKind(apiVersion, kind);
  if (served !== undefined) return served;
  cluster.settle();
  return registry.ofKind(apiVersion, kind);
}
