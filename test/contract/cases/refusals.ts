import type { ContractCase } from "../contract-case.ts";
import { clusterResource, inNamespace, resource } from "../resource.ts";
import { pod, podTemplate } from "./samples.ts";

const selector = { matchLabels: { app: "web" } };
const container = { name: "main", image: "example.com/main" };
const jobTemplate = { spec: { restartPolicy: "Never", containers: [container] } };
type Fields = Readonly<Record<string, unknown>>;

function refuses(name: string, about: string, objects: readonly (readonly [string, unknown])[]): ContractCase {
  return inNamespace(name, about, async (api) => {
    for (const [kind, object] of objects) await resource(api, kind).create(object);
  });
}

const pods = (...specs: readonly Fields[]) => specs.map((spec) => ["pods", pod("p", spec)] as const);
const inContainer = (...fields: readonly Fields[]) =>
  pods(...fields.map((field) => ({ containers: [{ ...container, ...field }] })));
const of = (kind: string, ...specs: readonly unknown[]) =>
  specs.map((spec) => [kind, { metadata: { name: "x" }, spec }] as const);

export const refusalCases: readonly ContractCase[] = [
  refuses("refuse-pod", "pods that cannot be", [
    ["pods", { metadata: { name: "p" } }],
    ...pods(
      { containers: [] },
      { containers: [container, container] },
      { containers: [container], restartPolicy: "Sometimes", dnsPolicy: "Any" },
      { containers: [container], terminationGracePeriodSeconds: -5, activeDeadlineSeconds: 0 },
      { containers: [container], nodeName: "Bad_Node", hostname: "Bad_Host" },
      { containers: [container], serviceAccountName: "Bad_Account" },
      { containers: [container], schedulingGates: [{ name: "bad gate" }], nodeName: "n" },
      {
        containers: [container],
        tolerations: [{ operator: "Equal" }, { key: "a", operator: "Near" }, { key: "b", effect: "None" }],
      },
      {
        containers: [container],
        tolerations: [
          { key: "a", operator: "Exists", value: "b" },
          { key: "a", tolerationSeconds: 5 },
        ],
      },
      {
        containers: [container],
        volumes: [{ name: "a" }, { name: "a" }, { name: "B" }, { name: "c", emptyDir: {}, hostPath: { path: "x" } }],
      },
      { containers: [{ ...container, volumeMounts: [{ name: "none", mountPath: "" }] }] },
      {
        containers: [container],
        topologySpreadConstraints: [{ maxSkew: 0, topologyKey: "", whenUnsatisfiable: "Never" }],
      },
      {
        containers: [container],
        affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [] } } },
      },
      {
        containers: [container],
        affinity: { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey: "" }] } },
      },
    ),
  ]),
  refuses("refuse-container", "containers that cannot be", [
    ...inContainer(
      { name: "Bad Name" },
      { name: "" },
      { image: "" },
      { image: " space " },
      { imagePullPolicy: "Maybe" },
      { ports: [{ containerPort: 0 }, { containerPort: 70000 }, { containerPort: 1, protocol: "IP" }] },
      {
        ports: [
          { containerPort: 1, name: "UPPER" },
          { containerPort: 2, name: "much-too-long-name" },
        ],
      },
      { env: [{ name: "" }, { name: "A", value: "x", valueFrom: { fieldRef: { fieldPath: "x" } } }] },
      { resources: { requests: { cpu: "2" }, limits: { cpu: "1" } } },
      { resources: { requests: { cpu: "-1" } } },
      { resources: { requests: { "bad/resource/name": "1" } } },
      { resources: { requests: { unknown: "1" } } },
      { resources: { requests: { "example.com/gpu": "1" } } },
      { resources: { requests: { "example.com/gpu": "1500m" }, limits: { "example.com/gpu": "1500m" } } },
      { livenessProbe: {} },
      { livenessProbe: { httpGet: { port: 0 }, tcpSocket: { port: 1 }, periodSeconds: -1 } },
      { terminationMessagePolicy: "None" },
      { securityContext: { privileged: true, allowPrivilegeEscalation: false } },
    ),
  ]),
  refuses("refuse-deployment", "deployments that cannot be", [
    ["apps/v1/deployments", { metadata: { name: "x" } }],
    ...of(
      "apps/v1/deployments",
      { selector, template: { spec: { containers: [container] } } },
      { selector: {}, template: podTemplate() },
      { template: podTemplate() },
      { selector, template: podTemplate({ restartPolicy: "Never" }) },
      { selector, template: podTemplate(), replicas: -1, minReadySeconds: -1, revisionHistoryLimit: -1 },
      { selector, template: podTemplate(), minReadySeconds: 700 },
      { selector, template: podTemplate(), strategy: { type: "Recreate", rollingUpdate: {} } },
      { selector, template: podTemplate(), strategy: { type: "Odd" } },
      { selector, template: podTemplate(), strategy: { rollingUpdate: { maxSurge: 0, maxUnavailable: 0 } } },
      { selector, template: podTemplate(), strategy: { rollingUpdate: { maxSurge: "x", maxUnavailable: "120%" } } },
      { selector, template: podTemplate({ containers: [] }) },
    ),
  ]),
  refuses("refuse-other-workloads", "stateful sets, daemon sets, replica sets that cannot be", [
    ...of(
      "apps/v1/statefulsets",
      { selector, template: podTemplate(), serviceName: "Bad Name", podManagementPolicy: "Odd" },
      { selector, template: podTemplate(), serviceName: "s", updateStrategy: { type: "Odd" } },
      { selector, template: podTemplate(), updateStrategy: { rollingUpdate: { partition: -1 } }, replicas: -1 },
      {
        selector,
        template: podTemplate(),
        ordinals: { start: -1 },
        persistentVolumeClaimRetentionPolicy: { whenDeleted: "Odd" },
      },
    ),
    ...of(
      "apps/v1/daemonsets",
      { selector: { matchLabels: { other: "x" } }, template: podTemplate() },
      { selector, template: podTemplate({ restartPolicy: "OnFailure" }), minReadySeconds: -1 },
      { selector, template: podTemplate(), updateStrategy: { rollingUpdate: { maxUnavailable: 0 } } },
    ),
    ...of("apps/v1/replicasets", { selector, template: podTemplate(), replicas: -2 }, { selector }),
    ...of("replicationcontrollers", { selector: { x: "y" }, template: podTemplate() }, {}),
  ]),
  refuses("refuse-jobs", "jobs and cron jobs that cannot be", [
    ...of(
      "batch/v1/jobs",
      {},
      { template: { spec: { containers: [container] } } },
      { template: { spec: { containers: [container], restartPolicy: "Always" } } },
      { template: jobTemplate, completions: -1, parallelism: -1, backoffLimit: -1 },
      { template: jobTemplate, completionMode: "Indexed" },
      { template: jobTemplate, completionMode: "Odd", ttlSecondsAfterFinished: -1, activeDeadlineSeconds: -1 },
      { template: jobTemplate, selector },
      { template: jobTemplate, podFailurePolicy: { rules: [{ action: "Odd" }] } },
    ),
    ...of(
      "batch/v1/cronjobs",
      { schedule: "sometimes", jobTemplate: { spec: { template: jobTemplate } } },
      { schedule: "", jobTemplate: { spec: { template: jobTemplate } } },
      { schedule: "* * * * *", timeZone: "Nowhere/City", jobTemplate: { spec: { template: jobTemplate } } },
      { schedule: "TZ=UTC * * * * *", jobTemplate: { spec: { template: jobTemplate } } },
      { schedule: "* * * * *", concurrencyPolicy: "Odd", successfulJobsHistoryLimit: -1, jobTemplate: { spec: {} } },
    ),
  ]),
  refuses("refuse-services", "services that cannot be", [
    ...of(
      "services",
      { clusterIP: "None", type: "NodePort", ports: [{ port: 80 }] },
      { ports: [] },
      { clusterIP: "None", ports: [{ port: 0 }, { port: 70000, name: "Bad_Name" }] },
      { clusterIP: "None", ports: [{ port: 80 }, { port: 81 }] },
      {
        clusterIP: "None",
        ports: [
          { port: 80, name: "a" },
          { port: 80, name: "b" },
          { port: 81, name: "a" },
        ],
      },
      { clusterIP: "None", ports: [{ port: 80, protocol: "IP", targetPort: 0 }] },
      { type: "Odd", ports: [{ port: 80 }] },
      { type: "ExternalName" },
      { type: "ExternalName", externalName: "Bad_Name" },
      { clusterIP: "nonsense", ports: [{ port: 80 }] },
      { clusterIP: "None", ports: [{ port: 80 }], sessionAffinity: "Odd" },
      { clusterIP: "None", ports: [{ port: 80 }], selector: { "bad key": "x" } },
    ),
  ]),
  refuses("refuse-budgets", "budgets that cannot be", [
    ...of(
      "policy/v1/poddisruptionbudgets",
      { minAvailable: 1, maxUnavailable: 1, selector },
      { minAvailable: -1, selector },
      { maxUnavailable: "110%", selector },
      { maxUnavailable: "ten", selector },
      { minAvailable: 1, selector: { matchExpressions: [{ key: "a", operator: "In" }] } },
      { minAvailable: 1, selector, unhealthyPodEvictionPolicy: "Odd" },
    ),
  ]),
  refuses("refuse-claims", "claims and volumes that cannot be", [
    ...of(
      "persistentvolumeclaims",
      {},
      { accessModes: ["ReadWriteOnce"] },
      { accessModes: [], resources: { requests: { storage: "1Gi" } } },
      { accessModes: ["Odd"], resources: { requests: { storage: "1Gi" } } },
      { accessModes: ["ReadWriteOnce", "ReadWriteOncePod"], resources: { requests: { storage: "1Gi" } } },
      { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "-1Gi" } } },
      { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "0" } } },
      {
        accessModes: ["ReadWriteOnce"],
        resources: { requests: { storage: "1Gi" } },
        storageClassName: "Bad Name",
        volumeMode: "Odd",
      },
      {
        accessModes: ["ReadWriteOnce"],
        resources: { requests: { storage: "1Gi" } },
        dataSource: { kind: "X", name: "y" },
      },
    ),
  ]),
  {
    name: "refuse-cluster-kinds",
    about: "nodes, classes and volumes that cannot be",
    async run(api) {
      const create = (kind: string, fields: object) =>
        clusterResource(api, kind).create({ metadata: { name: api.prefix }, ...fields });
      await create("nodes", {
        spec: {
          taints: [
            { key: "a", effect: "Odd" },
            { key: "", effect: "NoSchedule" },
          ],
        },
      });
      await create("nodes", { spec: { taints: [{ key: "a", value: "not ok!", effect: "NoSchedule" }] } });
      await create("nodes", { spec: { podCIDR: "nonsense" } });
      await create("nodes", { status: { capacity: { cpu: "x" } } });
      await create("storage.k8s.io/v1/storageclasses", {});
      await create("storage.k8s.io/v1/storageclasses", {
        provisioner: "a b",
        reclaimPolicy: "Odd",
        volumeBindingMode: "Odd",
      });
      await create("scheduling.k8s.io/v1/priorityclasses", { value: 2000000000, preemptionPolicy: "Odd" });
      await create("persistentvolumes", {});
      await create("persistentvolumes", { spec: { capacity: { storage: "1Gi", cpu: "1" }, accessModes: ["Odd"] } });
      await create("rbac.authorization.k8s.io/v1/clusterroles", { rules: [{ verbs: [] }] });
      await create("rbac.authorization.k8s.io/v1/clusterrolebindings", { roleRef: {}, subjects: [{ kind: "Odd" }] });
      await create("storage.k8s.io/v1/csinodes", { spec: { drivers: [{ name: "a", nodeID: "" }] } });
    },
  },
];
