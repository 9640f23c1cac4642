import type { ContractCase, Json } from "../contract-case.ts";
import { clusterResource, inNamespace, resource, stage } from "../resource.ts";
import { budget, configMap, deployment, node, pod, podTemplate } from "./samples.ts";

const table = "application/json;as=Table;v=v1;g=meta.k8s.io,application/json";
const metadataList = "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io";
const metadataOnly = "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io";

const selector = { matchLabels: { app: "web" } };
const template = podTemplate();
const jobTemplate = { spec: { ...template.spec, restartPolicy: "Never" } };

/** One object of each kind that kubectl prints with columns of its own. */
const printed: readonly (readonly [string, object])[] = [
  ["pods", pod("one", { nodeName: "somewhere", initContainers: [{ name: "init", image: "i" }] })],
  ["apps/v1/deployments", deployment("one")],
  ["apps/v1/replicasets", { metadata: { name: "one" }, spec: { replicas: 1, selector, template } }],
  ["apps/v1/statefulsets", { metadata: { name: "one" }, spec: { replicas: 1, serviceName: "s", selector, template } }],
  ["apps/v1/daemonsets", { metadata: { name: "one" }, spec: { selector, template } }],
  ["batch/v1/jobs", { metadata: { name: "one" }, spec: { completions: 3, template: jobTemplate } }],
  [
    "batch/v1/cronjobs",
    { metadata: { name: "one" }, spec: { schedule: "* * * * *", jobTemplate: { spec: { template: jobTemplate } } } },
  ],
  ["policy/v1/poddisruptionbudgets", budget("one", { minAvailable: 1 })],
  ["policy/v1/poddisruptionbudgets", budget("two", { maxUnavailable: "20%" })],
  [
    "services",
    {
      metadata: { name: "one" },
      spec: { clusterIP: "None", ports: [{ port: 80, name: "http" }], selector: { a: "b" } },
    },
  ],
  ["services", { metadata: { name: "two" }, spec: { type: "ExternalName", externalName: "example.com" } }],
  ["configmaps", configMap("one", { a: "1", b: "2" })],
  ["secrets", { metadata: { name: "one" }, stringData: { a: "1" } }],
  ["serviceaccounts", { metadata: { name: "one" } }],
  [
    "persistentvolumeclaims",
    {
      metadata: { name: "one" },
      spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } }, storageClassName: "fast" },
    },
  ],
  ["coordination.k8s.io/v1/leases", { metadata: { name: "one" }, spec: { holderIdentity: "me" } }],
  ["apps/v1/controllerrevisions", { metadata: { name: "one" }, revision: 3, data: { a: 1 } }],
  ["limitranges", { metadata: { name: "one" }, spec: { limits: [] } }],
  ["resourcequotas", { metadata: { name: "one" }, spec: { hard: { pods: "5" } } }],
  ["rbac.authorization.k8s.io/v1/roles", { metadata: { name: "one" }, rules: [] }],
];

const clusterWide: readonly (readonly [string, (name: string) => object])[] = [
  [
    "nodes",
    (name) => ({
      ...node(name, {
        metadata: { name, labels: { "node-role.kubernetes.io/worker": "" } },
        spec: { unschedulable: true },
      }),
      status: {
        conditions: [{ type: "Ready", status: "True" }],
        addresses: [{ type: "InternalIP", address: "192.0.2.1" }],
        nodeInfo: {
          kubeletVersion: "v1.36.3",
          osImage: "Some OS",
          kernelVersion: "6.1",
          containerRuntimeVersion: "c://1",
        },
      },
    }),
  ],
  ["scheduling.k8s.io/v1/priorityclasses", (name) => ({ metadata: { name }, value: 5 })],
  ["storage.k8s.io/v1/storageclasses", (name) => ({ metadata: { name }, provisioner: "example.com/p" })],
  [
    "persistentvolumes",
    (name) => ({
      metadata: { name },
      spec: { capacity: { storage: "1Gi" }, accessModes: ["ReadWriteOnce"], hostPath: { path: "/data" } },
    }),
  ],
  ["storage.k8s.io/v1/csinodes", (name) => ({ metadata: { name }, spec: { drivers: [] } })],
];

export const representationCases: readonly ContractCase[] = [
  inNamespace("table-of-each-kind", "each kind is printed with its own columns", async (api) => {
    for (const [kind, object] of printed) {
      await resource(stage(api), kind).create(object);
    }
    for (const kind of new Set(printed.map(([name]) => name))) {
      const path = `${resource(api, kind).path}?fieldSelector=metadata.name!%3Ddefault`;
      await api.request({ path, headers: { accept: table } });
    }
  }),
  {
    name: "table-of-cluster-kinds",
    about: "kinds without namespaces are printed with their own columns",
    async run(api) {
      for (const [kind, make] of clusterWide) {
        const { path, create } = clusterResource(stage(api), kind);
        await create(make(api.prefix));
        api.afterwards({ method: "DELETE", path: `${path}/${api.prefix}` });
        await api.request({ path: `${path}/${api.prefix}`, headers: { accept: table } });
      }
      const namespace = `/api/v1/namespaces/kube-public`;
      await api.request({ path: namespace, headers: { accept: table } });
    },
  },
  inNamespace("table-include-object", "rows carry metadata, the whole object or nothing", async (api) => {
    await resource(stage(api), "configmaps").create(configMap("one", { a: "1" }));
    const { path } = resource(api, "configmaps");
    for (const include of ["None", "Metadata", "Object", "Everything"]) {
      const query = `?includeObject=${include}&fieldSelector=metadata.name%3Done`;
      await api.request({ path: `${path}${query}`, headers: { accept: table } });
    }
    await api.request({
      path: `${path}/one?includeObject=Object`,
      headers: { accept: table },
    });
    await api.request({ path: `${path}/none`, headers: { accept: table } });
  }),
  inNamespace("table-paged", "a page of a table says how many rows remain", async (api) => {
    for (const name of ["a", "b", "c"]) await resource(stage(api), "secrets").create({ metadata: { name } });
    const { path } = resource(api, "secrets");
    const { body } = await api.request({
      path: `${path}?limit=2`,
      headers: { accept: table },
    });
    await api.request({
      path: `${path}?limit=2&continue=${body.metadata?.continue}`,
      headers: { accept: table },
    });
  }),
  inNamespace("table-of-pods", "what a pod is doing is one word", async (api) => {
    const { create, merge } = resource(stage(api), "pods");
    const states: Readonly<Record<string, object>> = {
      running: {
        phase: "Running",
        conditions: [{ type: "Ready", status: "True" }],
        podIPs: [{ ip: "192.0.2.7" }],
        podIP: "192.0.2.7",
        containerStatuses: [status("main", { running: { startedAt: "2026-01-01T00:00:00Z" } }, { ready: true })],
      },
      crashing: {
        phase: "Running",
        containerStatuses: [status("main", { waiting: { reason: "CrashLoopBackOff" } }, { restartCount: 3 })],
      },
      done: {
        phase: "Succeeded",
        containerStatuses: [status("main", { terminated: { reason: "Completed", exitCode: 0 } })],
      },
      failed: { phase: "Failed", reason: "Evicted" },
      killed: { phase: "Failed", containerStatuses: [status("main", { terminated: { exitCode: 137 } })] },
      waiting: { phase: "Pending", conditions: [{ type: "PodScheduled", status: "False", reason: "SchedulingGated" }] },
    };
    for (const [name, state] of Object.entries(states)) {
      await create(pod(name, { nodeName: "somewhere" }));
      await merge(`${name}/status`, { status: state });
    }
    await create(pod("leaving", { nodeName: "somewhere" }));
    await resource(stage(api), "pods").delete("leaving");
    await create(pod("gated", { schedulingGates: [{ name: "example.com/gate" }] }));
    await api.request({
      path: resource(api, "pods").path,
      headers: { accept: table },
      select: ({ rows }) => rows.map(({ cells }: Json) => ({ cells })),
    });
  }),
  inNamespace("table-watch", "a watch can send tables", async (api) => {
    const maps = resource(stage(api), "configmaps");
    await maps.create(configMap("one"));
    const query = "?watch=true&fieldSelector=metadata.name%3Done";
    const watch = await api.watch(`${maps.path}${query}`, { headers: { accept: table } });
    await watch.take(1);
    await maps.merge("one", { data: { a: "1" } });
    await watch.take(1);
  }),
  inNamespace("metadata-only", "clients that care about metadata get only that", async (api) => {
    const maps = resource(api, "configmaps");
    await resource(stage(api), "configmaps").create(configMap("one", { a: "1" }, { labels: { x: "y" } }));
    const query = "?fieldSelector=metadata.name%3Done";
    await maps.list(query, metadataList);
    await api.request({ path: `${maps.path}/one`, headers: { accept: metadataOnly } });
    await maps.list(query, metadataOnly);
    await api.request({ path: `${maps.path}/one`, headers: { accept: metadataList } });
    const watch = await api.watch(`${maps.path}${query}&watch=true`, {
      headers: { accept: metadataOnly },
    });
    await watch.take(1);
    await api.request({
      method: "POST",
      path: maps.path,
      headers: { accept: metadataOnly },
      body: configMap("two", { a: "1" }),
    });
  }),
];

function status(name: string, state: object, more: object = {}): object {
  return { name, image: "i", imageID: "", ready: false, restartCount: 0, state, ...more };
}
