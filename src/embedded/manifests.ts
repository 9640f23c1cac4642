import { parseAllDocuments, stringify } from "yaml";
import { isJsonObject, type JsonObject } from "../core/api/schema/json.ts";
import { ApiError } from "./api/api-error.ts";
import type { ObjectApi } from "./api/object-api.ts";
import type { KubeObject } from "./kube-object.ts";

/** What the cluster makes for itself, and would make again. */
const ownKinds = new Set(["Event", "Lease"]);

/** Every object, as manifests that {@link loadManifests} reads, and `kubectl create` on an empty cluster. */
export function saveManifests(api: ObjectApi): string {
  const objects = api.registry
    .all()
    .filter(({ storedAs, kind }) => storedAs === undefined && !ownKinds.has(kind))
    .sort((a, b) => rank(a.kind) - rank(b.kind))
    .flatMap((definition) => [...api.collection(definition).list()]);
  return objects.map((object) => stringify(portable(object), { version: "1.1" })).join("---\n");
}

/** Definitions and namespaces first: the others need them. */
function rank(kind: string): number {
  const order = [
    "Namespace",
    "CustomResourceDefinition",
    "ServiceAccount",
    "PriorityClass",
    "RuntimeClass",
    "StorageClass",
    "Node",
    "PersistentVolume",
    "PersistentVolumeClaim",
  ];
  const at = order.indexOf(kind);
  return at < 0 ? order.length : at;
}

/** Without what only this cluster gave it; uids stay, so that references between objects keep their meaning. */
function portable({ metadata, ...rest }: KubeObject): JsonObject {
  const {
    resourceVersion: _,
    managedFields: __,
    selfLink: ___,
    ...kept
  } = metadata as KubeObject["metadata"] & { selfLink?: string };
  const { apiVersion, kind, ...body } = rest;
  return { apiVersion, kind, metadata: kept, ...body };
}

export interface Loaded {
  readonly count: number;
  /** What could not be loaded, and why, a line each. */
  readonly problems: readonly string[];
}

/** Brings the objects of a file of manifests into the cluster, with the statuses, uids and ages that they have there. */
export function loadManifests(cluster: { readonly api: ObjectApi; settle(): void }, text: string): Loaded {
  const problems: string[] = [];
  let count = 0;
  for (const manifest of readManifests(text, problems)) {
    try {
      loadOne(cluster.api, manifest);
      // What a definition defines can come right after it.
      if (manifest.kind === "CustomResourceDefinition") cluster.settle();
      count++;
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      problems.push(`Cannot load ${describe(manifest)}: ${error.message}`);
    }
  }
  return { count, problems };
}

function readManifests(text: string, problems: string[]): JsonObject[] {
  return parseAllDocuments(text, { version: "1.1" }).flatMap((document, i) => {
    if ("errors" in document && document.errors.length > 0) {
      problems.push(`Cannot read document ${i + 1}: ${document.errors[0]?.message.split("\n")[0]}`);
      return [];
    }
    const value: unknown = "toJS" in document ? document.toJS() : undefined;
    if (value === null || value === undefined) return [];
    if (!isJsonObject(value)) {
      problems.push(`Document ${i + 1} is not an object`);
      return [];
    }
    return Array.isArray(value.items) && String(value.kind).endsWith("List")
      ? value.items.filter(isJsonObject)
      : [value];
  });
}

function loadOne(api: ObjectApi, manifest: JsonObject): void {
  const { apiVersion, kind } = manifest;
  const definition = api.registry.ofKind(String(apiVersion), String(kind));
  if (definition === undefined)
    throw new ApiError(404, "NotFound", `no resource serves ${String(kind)} of ${String(apiVersion)}`);
  const metadata = isJsonObject(manifest.metadata) ? manifest.metadata : {};
  const namespace = definition.isNamespaced ? { namespace: String(metadata.namespace ?? "default") } : {};
  if (api.find({ definition, name: String(metadata.name ?? ""), ...namespace }) !== undefined) return;
  const { resourceVersion: _, ...kept } = metadata;
  api.create(
    definition,
    { ...manifest, metadata: kept },
    { fieldValidation: "Strict", isRestored: true, ...namespace },
  );
}

function describe({ kind, metadata }: JsonObject): string {
  const { namespace, name } = isJsonObject(metadata) ? metadata : {};
  return `${String(kind)} ${namespace === undefined ? "" : `${String(namespace)}/`}${String(name)}`;
}
