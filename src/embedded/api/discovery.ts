import type { JsonObject } from "../../core/api/schema/json.ts";
import type { ResourceDefinition } from "../kinds/resource-definition.ts";
import { apiVersionOf, type ResourceRegistry } from "./resource-registry.ts";
import { reviewResources } from "./reviews.ts";

const verbs = ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"];
const subresourceVerbs = ["get", "patch", "update"];

interface Subresource {
  readonly name: string;
  readonly kind: string;
  readonly group?: string;
  readonly version?: string;
  readonly verbs: readonly string[];
}

/** What can be asked of one object besides itself. */
export function subresourcesOf(definition: ResourceDefinition): Subresource[] {
  const { group, kind } = definition;
  const isPod = group === "" && kind === "Pod";
  return [
    ...(isPod ? [{ name: "binding", kind: "Binding", verbs: ["create"] }] : []),
    ...(isPod ? [{ name: "eviction", kind: "Eviction", group: "policy", version: "v1", verbs: ["create"] }] : []),
    ...(group === "" && kind === "Namespace" ? [{ name: "finalize", kind, verbs: ["update"] }] : []),
    ...(isPod ? [{ name: "log", kind, verbs: ["get"] }] : []),
    ...(definition.scale === undefined
      ? []
      : [{ name: "scale", kind: "Scale", group: "autoscaling", version: "v1", verbs: subresourceVerbs }]),
    ...(definition.hasStatus ? [{ name: "status", kind, verbs: subresourceVerbs }] : []),
  ];
}

interface Group {
  readonly name: string;
  readonly versions: readonly string[];
}

/** The groups that are served, each with its versions, the newest stable one first. */
export function groupsOf(registry: ResourceRegistry): Group[] {
  const versions = new Map<string, Set<string>>();
  for (const { group, version } of [...registry.all(), ...reviewResources]) {
    versions.set(group, (versions.get(group) ?? new Set()).add(version));
  }
  return [...versions].map(([name, found]) => ({ name, versions: [...found].sort(compareVersions) }));
}

function compareVersions(a: string, b: string): number {
  const [first, second] = [rank(a), rank(b)];
  return second.stability - first.stability || second.major - first.major || second.minor - first.minor;
}

function rank(version: string): { stability: number; major: number; minor: number } {
  const match = /^v(\d+)(?:(alpha|beta)(\d+))?$/.exec(version);
  if (match === null) return { stability: -1, major: 0, minor: 0 };
  const stability = match[2] === undefined ? 2 : match[2] === "beta" ? 1 : 0;
  return { stability, major: Number(match[1]), minor: Number(match[3] ?? 0) };
}

export function coreVersions(address: string): JsonObject {
  return {
    kind: "APIVersions",
    versions: ["v1"],
    serverAddressByClientCIDRs: [{ clientCIDR: "0.0.0.0/0", serverAddress: address }],
  };
}

export function groupList(registry: ResourceRegistry): JsonObject {
  const groups = groupsOf(registry).filter(({ name }) => name !== "");
  return { kind: "APIGroupList", apiVersion: "v1", groups: groups.map(groupEntry) };
}

export function groupDocument(registry: ResourceRegistry, name: string): JsonObject | undefined {
  const group = groupsOf(registry).find((candidate) => candidate.name === name && name !== "");
  return group === undefined ? undefined : { kind: "APIGroup", apiVersion: "v1", ...groupEntry(group) };
}

function groupEntry({ name, versions }: Group): JsonObject {
  const entries = versions.map((version) => ({ groupVersion: `${name}/${version}`, version }));
  return { name, versions: entries, preferredVersion: entries[0] };
}

export function resourceList(registry: ResourceRegistry, group: string, version: string): JsonObject | undefined {
  const definitions = definitionsOf(registry, group, version);
  const reviews = reviewResources.filter((review) => review.group === group && review.version === version);
  if (definitions.length === 0 && reviews.length === 0) return undefined;
  const resources = [
    ...definitions.flatMap((definition) => [resourceEntry(definition), ...subresourceEntries(definition)]),
    ...reviews.map(({ plural, kind }) => ({
      name: plural,
      singularName: kind.toLowerCase(),
      namespaced: false,
      kind,
      verbs: ["create"],
    })),
  ];
  return {
    kind: "APIResourceList",
    ...(group === "" ? {} : { apiVersion: "v1" }),
    groupVersion: apiVersionOf({ group, version }),
    resources,
  };
}

function definitionsOf(registry: ResourceRegistry, group: string, version: string): ResourceDefinition[] {
  return registry
    .all()
    .filter((definition) => definition.group === group && definition.version === version)
    .sort((a, b) => (a.plural < b.plural ? -1 : 1));
}

function resourceEntry(definition: ResourceDefinition): JsonObject {
  const { plural, singular, isNamespaced, kind, shortNames, categories } = definition;
  return {
    name: plural,
    singularName: singular,
    namespaced: isNamespaced,
    kind,
    verbs: definition.verbs ?? verbs,
    ...(shortNames.length === 0 ? {} : { shortNames }),
    ...(categories.length === 0 ? {} : { categories }),
    storageVersionHash: storageHash(definition),
  };
}

/** Any text that changes with the kind will do for clients. */
function storageHash({ group, kind }: ResourceDefinition): string {
  return Buffer.from(`${kind}.${group}`).toString("base64").slice(0, 11).padEnd(12, "=");
}

function subresourceEntries(definition: ResourceDefinition): JsonObject[] {
  return subresourcesOf(definition).map(({ name, kind, group, version, verbs: ownVerbs }) => ({
    name: `${definition.plural}/${name}`,
    singularName: "",
    namespaced: definition.isNamespaced,
    ...(group === undefined ? {} : { group, version }),
    kind,
    verbs: ownVerbs,
  }));
}

/** Everything in one document, which kubectl asks for first: `/api` for the core group, `/apis` for all others. */
export function aggregatedDiscovery(registry: ResourceRegistry, isCore: boolean): JsonObject {
  const groups = groupsOf(registry).filter(({ name }) => (name === "") === isCore);
  return {
    kind: "APIGroupDiscoveryList",
    apiVersion: "apidiscovery.k8s.io/v2",
    metadata: {},
    items: groups.map(({ name, versions }) => ({
      metadata: { ...(name === "" ? {} : { name }), creationTimestamp: null },
      versions: versions.map((version) => ({
        version,
        resources: aggregatedResources(registry, name, version),
        freshness: "Current",
      })),
    })),
  };
}

function aggregatedResources(registry: ResourceRegistry, group: string, version: string): JsonObject[] {
  const reviews = reviewResources.filter((review) => review.group === group && review.version === version);
  return [
    ...definitionsOf(registry, group, version).map((definition) => {
      const { plural, singular, kind, shortNames, categories, isNamespaced } = definition;
      // Built-in kinds leave out what the group around them says already.
      const isCustom = definition.typeName === undefined;
      const responseKind = isCustom ? { group, version, kind } : { group: "", version: "", kind };
      const subresources = subresourcesOf(definition).map((subresource) => ({
        subresource: subresource.name,
        responseKind: {
          group: subresource.group ?? (isCustom ? group : ""),
          version: subresource.version ?? (isCustom ? version : ""),
          kind: subresource.kind,
        },
        verbs: subresource.verbs,
      }));
      return {
        resource: plural,
        responseKind,
        scope: isNamespaced ? "Namespaced" : "Cluster",
        singularResource: singular,
        verbs: definition.verbs ?? verbs,
        ...(shortNames.length === 0 ? {} : { shortNames }),
        ...(categories.length === 0 ? {} : { categories }),
        ...(subresources.length === 0 ? {} : { subresources }),
      };
    }),
    ...reviews.map(({ plural, kind }) => ({
      resource: plural,
      responseKind: { group: "", version: "", kind },
      scope: "Cluster",
      singularResource: kind.toLowerCase(),
      verbs: ["create"],
    })),
  ];
}
