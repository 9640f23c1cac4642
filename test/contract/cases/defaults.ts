import type { ContractCase } from "../contract-case.ts";
import { clusterResource, inNamespace, resource } from "../resource.ts";
import { budget, deployment, pod, podTemplate } from "./samples.ts";

const selector = { matchLabels: { app: "web" } };
const container = { name: "main", image: "example.com/main" };
const jobSpec = { template: { spec: { restartPolicy: "Never", containers: [container] } } };

/** Writes each object and shows what the server made of it. */
function shows(name: string, about: string, objects: readonly (readonly [string, unknown])[]): ContractCase {
  return inNamespace(name, about, async (api) => {
    for (const [kind, object] of objects) await resource(api, kind).create(object);
  });
}

const pods = (...specs: readonly Readonly<Record<string, unknown>>[]) =>
  specs.map((spec, index) => ["pods", pod(`p${index}`, spec)] as const);

const services = (...specs: readonly object[]) =>
  specs.map((spec, index) => ["services", { metadata: { name: `s${index}` }, spec }] as const);

const claims = (...specs: readonly object[]) =>
  specs.map((spec, index) => ["persistentvolumeclaims", { metadata: { name: `c${index}` }, spec }] as const);

export const defaultCases: readonly ContractCase[] = [
  shows("default-pod", "what a pod is when it says little", [
    ...pods(
      {
        containers: [
          { name: "a", image: "i" },
          { name: "b", image: "i:latest" },
          { name: "c", image: "i@sha256:0000000000000000000000000000000000000000000000000000000000000000" },
        ],
      },
      { containers: [container], restartPolicy: "Never", terminationGracePeriodSeconds: 5, hostNetwork: true },
      {
        containers: [{ ...container, ports: [{ containerPort: 80 }, { containerPort: 53, protocol: "UDP" }] }],
        hostNetwork: true,
      },
      {
        containers: [container],
        initContainers: [
          { name: "i", image: "i" },
          { name: "s", image: "i", restartPolicy: "Always" },
        ],
      },
      { containers: [container], securityContext: { runAsUser: 5 } },
      { containers: [container], tolerations: [{ key: "node.kubernetes.io/not-ready", operator: "Exists" }] },
      { containers: [container], tolerations: [{ operator: "Exists" }] },
    ),
  ]),
  shows("default-pod-resources", "limits are requests, and amounts are written one way", [
    ...pods(
      { containers: [{ ...container, resources: { limits: { cpu: "1", memory: "1Gi" } } }] },
      { containers: [{ ...container, resources: { limits: { cpu: "1000m" }, requests: { memory: "1024Mi" } } }] },
      { containers: [{ ...container, resources: { requests: { cpu: 0.5, memory: 1073741824 } } }] },
      {
        containers: [
          {
            ...container,
            resources: {
              requests: { cpu: "0.0005", memory: "1.5Gi", "example.com/gpu": 1 },
              limits: { "example.com/gpu": "1" },
            },
          },
        ],
      },
      { containers: [{ ...container, resources: { requests: { cpu: "100m" }, limits: { cpu: "0.1" } } }] },
      { containers: [container], resources: { limits: { cpu: "2" } } },
      { containers: [{ ...container, resources: { requests: { memory: "1e3", "ephemeral-storage": "12e6" } } }] },
    ),
  ]),
  shows("default-pod-probes", "probes, handlers and environment", [
    ...pods(
      {
        containers: [
          {
            ...container,
            livenessProbe: { httpGet: { port: 80 } },
            readinessProbe: { tcpSocket: { port: "web" } },
            ports: [{ containerPort: 1, name: "web" }],
          },
        ],
      },
      {
        containers: [
          {
            ...container,
            startupProbe: { exec: { command: ["a"] } },
            lifecycle: { preStop: { httpGet: { port: 1 } } },
          },
        ],
      },
      { containers: [{ ...container, livenessProbe: { grpc: { port: 9 }, failureThreshold: 9 } }] },
      {
        containers: [
          {
            ...container,
            env: [{ name: "A", valueFrom: { fieldRef: { fieldPath: "metadata.name" } } }, { name: "B" }],
          },
        ],
      },
      {
        containers: [
          { ...container, env: [{ name: "A", valueFrom: { resourceFieldRef: { resource: "limits.cpu" } } }] },
        ],
      },
    ),
  ]),
  shows("default-pod-volumes", "volumes of pods", [
    ...pods({
      containers: [{ ...container, volumeMounts: [{ name: "a", mountPath: "/a" }] }],
      volumes: [
        { name: "a" },
        { name: "b", emptyDir: {} },
        { name: "c", configMap: { name: "c" } },
        { name: "d", secret: { secretName: "d" } },
        { name: "e", hostPath: { path: "/e" } },
        { name: "f", downwardAPI: { items: [{ path: "x", fieldRef: { fieldPath: "metadata.labels" } }] } },
        { name: "g", projected: { sources: [{ serviceAccountToken: { path: "t" } }] } },
        { name: "h", persistentVolumeClaim: { claimName: "h" } },
        {
          name: "i",
          ephemeral: {
            volumeClaimTemplate: {
              spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
            },
          },
        },
      ],
    }),
  ]),
  shows("default-pod-placement", "affinity and spread", [
    ...pods(
      {
        containers: [container],
        topologySpreadConstraints: [
          { maxSkew: 1, topologyKey: "zone", whenUnsatisfiable: "DoNotSchedule", labelSelector: selector },
        ],
      },
      {
        containers: [container],
        affinity: {
          podAntiAffinity: {
            requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey: "h", labelSelector: selector }],
          },
        },
      },
      {
        containers: [container],
        topologySpreadConstraints: [
          {
            maxSkew: 1,
            topologyKey: "zone",
            whenUnsatisfiable: "ScheduleAnyway",
            labelSelector: selector,
            matchLabelKeys: ["app"],
          },
        ],
      },
      { containers: [container], schedulingGates: [{ name: "example.com/a" }] },
    ),
  ]),
  shows("default-workloads", "deployments, replica sets, stateful sets and daemon sets", [
    ["apps/v1/deployments", { metadata: { name: "one" }, spec: { selector, template: podTemplate() } }],
    ["apps/v1/deployments", deployment("two", { strategy: { type: "Recreate" }, paused: true })],
    ["apps/v1/deployments", deployment("three", { strategy: { rollingUpdate: { maxSurge: "50%" } } })],
    ["apps/v1/replicasets", { metadata: { name: "one" }, spec: { selector, template: podTemplate() } }],
    [
      "apps/v1/statefulsets",
      { metadata: { name: "one" }, spec: { selector, serviceName: "s", template: podTemplate() } },
    ],
    [
      "apps/v1/statefulsets",
      {
        metadata: { name: "two" },
        spec: {
          selector,
          template: podTemplate(),
          podManagementPolicy: "Parallel",
          updateStrategy: { type: "OnDelete" },
          volumeClaimTemplates: [
            {
              metadata: { name: "data" },
              spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
            },
          ],
        },
      },
    ],
    ["apps/v1/daemonsets", { metadata: { name: "one" }, spec: { selector, template: podTemplate() } }],
    [
      "apps/v1/daemonsets",
      { metadata: { name: "two" }, spec: { selector, template: podTemplate(), updateStrategy: { type: "OnDelete" } } },
    ],
    ["replicationcontrollers", { metadata: { name: "one" }, spec: { template: podTemplate() } }],
  ]),
  shows("default-jobs", "jobs and cron jobs", [
    ["batch/v1/jobs", { metadata: { name: "one" }, spec: jobSpec }],
    [
      "batch/v1/jobs",
      { metadata: { name: "two" }, spec: { ...jobSpec, completions: 3, parallelism: 2, completionMode: "Indexed" } },
    ],
    ["batch/v1/jobs", { metadata: { name: "three" }, spec: { ...jobSpec, parallelism: 2, suspend: true } }],
    [
      "batch/v1/cronjobs",
      { metadata: { name: "one" }, spec: { schedule: "*/5 * * * *", jobTemplate: { spec: jobSpec } } },
    ],
  ]),
  shows("default-services", "services without addresses to choose", [
    ...services(
      { clusterIP: "None", ports: [{ port: 80 }, { port: 81, name: "b" }] },
      { clusterIP: "None", ports: [{ port: 80 }], selector: { a: "b" } },
      { type: "ExternalName", externalName: "example.com" },
      { clusterIP: "None", selector: { a: "b" }, sessionAffinity: "ClientIP", publishNotReadyAddresses: true },
    ),
  ]),
  shows("default-budgets", "budgets", [
    ["policy/v1/poddisruptionbudgets", budget("one", { minAvailable: 1 })],
    ["policy/v1/poddisruptionbudgets", budget("two", { maxUnavailable: "25%" })],
    ["policy/v1/poddisruptionbudgets", { metadata: { name: "three" }, spec: {} }],
  ]),
  shows("default-claims", "claims of volumes", [
    ...claims(
      { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
      { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1024Mi" } }, storageClassName: "" },
      {
        accessModes: ["ReadWriteMany"],
        resources: { requests: { storage: "5G" } },
        volumeMode: "Block",
        volumeName: "v",
      },
    ),
  ]),
  {
    name: "default-cluster-kinds",
    about: "kinds without namespaces",
    async run(api) {
      const objects: readonly (readonly [string, object])[] = [
        ["storage.k8s.io/v1/storageclasses", { provisioner: "example.com/p" }],
        ["storage.k8s.io/v1/csidrivers", {}],
        ["scheduling.k8s.io/v1/priorityclasses", { value: 1 }],
        [
          "persistentvolumes",
          {
            spec: {
              capacity: { storage: "1Gi" },
              accessModes: ["ReadWriteOnce"],
              csi: { driver: "d", volumeHandle: "h" },
            },
          },
        ],
        [
          "nodes",
          {
            spec: { taints: [{ key: "a", effect: "NoExecute" }] },
            status: { capacity: { cpu: "1000m", memory: "1024Mi" } },
          },
        ],
        ["rbac.authorization.k8s.io/v1/clusterroles", {}],
        ["namespaces", {}],
      ];
      for (const [kind, object] of objects) {
        const { path, create } = clusterResource(api, kind);
        api.afterwards({ method: "DELETE", path: `${path}/${api.prefix}` });
        await create({ ...object, metadata: { name: api.prefix } });
      }
    },
  },
];
