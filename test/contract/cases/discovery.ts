import type { ContractCase, Json, Recorder } from "../contract-case.ts";

const aggregated = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";

/** What the embedded API serves; the real one serves more. */
const served: Readonly<Record<string, readonly string[]>> = {
  v1: [
    ...["configmaps", "endpoints", "events", "limitranges", "namespaces", "namespaces/status", "namespaces/finalize"],
    ...["nodes", "nodes/status", "persistentvolumeclaims", "persistentvolumeclaims/status", "persistentvolumes"],
    ...["persistentvolumes/status", "pods", "pods/binding", "pods/eviction", "pods/log", "pods/status"],
    ...["podtemplates", "replicationcontrollers", "replicationcontrollers/scale", "replicationcontrollers/status"],
    ...["resourcequotas", "resourcequotas/status", "secrets", "serviceaccounts", "services", "services/status"],
  ],
  "apps/v1": [
    ...["controllerrevisions", "daemonsets", "daemonsets/status", "deployments", "deployments/scale"],
    ...["deployments/status", "replicasets", "replicasets/scale", "replicasets/status", "statefulsets"],
    ...["statefulsets/scale", "statefulsets/status"],
  ],
  "batch/v1": ["cronjobs", "cronjobs/status", "jobs", "jobs/status"],
  "policy/v1": ["poddisruptionbudgets", "poddisruptionbudgets/status"],
  "coordination.k8s.io/v1": ["leases"],
  "events.k8s.io/v1": ["events"],
  "storage.k8s.io/v1": ["csidrivers", "csinodes", "storageclasses", "volumeattachments", "volumeattachments/status"],
  "scheduling.k8s.io/v1": ["priorityclasses"],
  "node.k8s.io/v1": ["runtimeclasses"],
  "apiextensions.k8s.io/v1": ["customresourcedefinitions", "customresourcedefinitions/status"],
  "discovery.k8s.io/v1": ["endpointslices"],
  "rbac.authorization.k8s.io/v1": ["clusterrolebindings", "clusterroles", "rolebindings", "roles"],
};

const groupNames = Object.keys(served).flatMap((version) => (version === "v1" ? [] : [version.split("/")[0]]));

function pathOf(version: string): string {
  return version === "v1" ? "/api/v1" : `/apis/${version}`;
}

/** Neither the order nor the hash of a resource means anything to clients. */
function byName(list: readonly Json[], key: string, names: readonly unknown[]): Json {
  const found = list.filter((item) => names.includes(item[key]));
  return Object.fromEntries(found.map(({ storageVersionHash: _, ...item }) => [item[key], sortVerbs(item)] as const));
}

function sortVerbs(item: Json): Json {
  return Array.isArray(item.verbs) ? { ...item, verbs: item.verbs.toSorted() } : item;
}

async function askResources(api: Recorder, version: string): Promise<void> {
  const select = ({ resources, ...list }: Json) => ({
    ...list,
    resources: byName(resources, "name", served[version] ?? []),
  });
  await api.request({ path: pathOf(version), select });
}

async function askAggregate(api: Recorder, path: string): Promise<void> {
  const select = ({ items, ...list }: Json) => ({
    ...list,
    items: items
      .filter((group: Json) => path === "/api" || groupNames.includes(group.metadata.name))
      .map((group: Json) => selectAggregate(group))
      .toSorted((left: Json, right: Json) => (left.name < right.name ? -1 : 1)),
  });
  await api.request({ path, headers: { accept: `${aggregated},application/json` }, select });
}

function selectAggregate({ metadata, versions }: Json): Json {
  const name = metadata.name ?? "";
  const version = versions.find((candidate: Json) => (served[key(name, candidate.version)] ?? []).length > 0);
  const names = served[key(name, version.version)] ?? [];
  const resources = version.resources
    .filter(({ resource }: Json) => names.includes(resource))
    .map((resource: Json) => ({
      ...sortVerbs(resource),
      subresources: (resource.subresources ?? [])
        .filter(({ subresource }: Json) => names.includes(`${resource.resource}/${subresource}`))
        .map(sortVerbs)
        .toSorted((left: Json, right: Json) => (left.subresource < right.subresource ? -1 : 1)),
    }))
    .toSorted((left: Json, right: Json) => (left.resource < right.resource ? -1 : 1));
  return { name, version: version.version, freshness: version.freshness, resources };
}

function key(group: string, version: string): string {
  return group === "" ? version : `${group}/${version}`;
}

export const discoveryCases: readonly ContractCase[] = [
  {
    name: "discovery-versions-of-core",
    about: "what the core group is called",
    async run(api) {
      await api.request({ path: "/api" });
    },
  },
  {
    name: "discovery-groups",
    about: "groups are listed with their versions",
    async run(api) {
      const select = ({ groups, ...list }: Json) => ({
        ...list,
        groups: byName(
          groups,
          "name",
          groupNames.filter((name) => name !== "storage.k8s.io"),
        ),
      });
      await api.request({ path: "/apis", select });
      await api.request({ path: "/apis/apps" });
      await api.request({ path: "/apis/nowhere.example.com" });
      await api.request({ path: "/apis/apps/v7" });
    },
  },
  {
    name: "discovery-resources",
    about: "resources of each version are listed with verbs, short names and kinds",
    async run(api) {
      for (const version of Object.keys(served)) await askResources(api, version);
    },
  },
  {
    name: "discovery-aggregated",
    about: "all of discovery comes in two answers for clients that ask so",
    async run(api) {
      await askAggregate(api, "/api");
      await askAggregate(api, "/apis");
    },
  },
  {
    name: "discovery-version",
    about: "the server says which Kubernetes it is",
    async run(api) {
      await api.request({ path: "/version", select: ({ major, minor }) => ({ major, minor }) });
      await api.request({ path: "/healthz" });
      await api.request({ path: "/livez" });
      await api.request({ path: "/readyz" });
      await api.request({ method: "POST", path: "/version", body: {} });
      await api.request({ path: "/nothing/here" });
    },
  },
  {
    name: "discovery-openapi",
    about: "schemas and paths for kubectl, which looks for kinds, merge keys and field validation",
    async run(api) {
      await api.request({
        path: "/openapi/v3",
        select: ({ paths }) => Object.keys(served).map((version) => pathOf(version).slice(1) in paths),
      });
      for (const version of ["v1", "apps/v1", "policy/v1"]) {
        await api.request({ path: `/openapi/v3${pathOf(version)}`, select: (document) => selectSchemas(document) });
      }
    },
  },
  {
    name: "discovery-access-review",
    about: "a client with all rights asks what it may do",
    async run(api) {
      const ask = { resourceAttributes: { verb: "delete", resource: "pods", namespace: "default" } };
      await api.request({
        method: "POST",
        path: "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews",
        body: { apiVersion: "authorization.k8s.io/v1", kind: "SelfSubjectAccessReview", spec: ask },
        select: ({ kind, apiVersion, spec, status }) => ({ kind, apiVersion, spec, allowed: status.allowed }),
      });
    },
  },
];

const schemaNames = ["io.k8s.api.core.v1.Pod", "io.k8s.api.core.v1.Container", "io.k8s.api.apps.v1.Deployment"];

function selectSchemas({ paths, components }: Json): Json {
  const patchParameters = (path: string): Json =>
    paths[path]?.patch?.parameters?.map(({ name }: Json) => name).toSorted();
  const found = schemaNames.filter((name) => components.schemas[name] !== undefined);
  return {
    fieldValidationOfPods: patchParameters("/api/v1/namespaces/{namespace}/pods/{name}"),
    fieldValidationOfDeployments: patchParameters("/apis/apps/v1/namespaces/{namespace}/deployments/{name}"),
    schemas: Object.fromEntries(found.map((name) => [name, outlineOf(components.schemas[name])])),
  };
}

function outlineOf({ properties, required, ...schema }: Json): Json {
  const fields = Object.entries(properties as Record<string, Json>).map(([name, field]) => [
    name,
    { type: field.type, list: field["x-kubernetes-list-type"], keys: field["x-kubernetes-list-map-keys"] },
  ]);
  return {
    required,
    kinds: schema["x-kubernetes-group-version-kind"],
    fields: Object.fromEntries(fields),
  };
}
