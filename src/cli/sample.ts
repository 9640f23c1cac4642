/** A shop on a Monday morning: what `npm start` plans. Manifests as a user would write them. */
export function sampleScenario(): unknown {
  return {
    name: "a shop on a Monday morning",
    nodePools: [generalPool, reliablePool],
    objects: [logCollector],
    pods: workloads.flatMap(({ replicas, ...template }) =>
      Array.from({ length: replicas }, (_, index) => podOf(template, index)),
    ),
  };
}

const zone = "topology.kubernetes.io/zone";
const host = "kubernetes.io/hostname";
const nodeClassRef = { group: "karpenter.kwok.sh", kind: "KWOKNodeClass", name: "default" };
const linux = { key: "kubernetes.io/os", operator: "In", values: ["linux"] };

const generalPool = {
  apiVersion: "karpenter.sh/v1",
  kind: "NodePool",
  metadata: { name: "general" },
  spec: { weight: 10, template: { spec: { nodeClassRef, requirements: [linux] } } },
};

/** For what must not be interrupted: on demand, tainted, and limited. */
const reliablePool = {
  apiVersion: "karpenter.sh/v1",
  kind: "NodePool",
  metadata: { name: "reliable" },
  spec: {
    limits: { cpu: "64" },
    template: {
      metadata: { labels: { tier: "reliable" } },
      spec: {
        nodeClassRef,
        requirements: [linux, { key: "karpenter.sh/capacity-type", operator: "In", values: ["on-demand"] }],
        taints: [{ key: "tier", value: "reliable", effect: "NoSchedule" }],
      },
    },
  },
};

const logCollector = {
  apiVersion: "apps/v1",
  kind: "DaemonSet",
  metadata: { name: "log-collector", namespace: "kube-system" },
  spec: {
    selector: { matchLabels: { app: "log-collector" } },
    template: {
      metadata: { labels: { app: "log-collector" } },
      spec: {
        tolerations: [{ operator: "Exists" }],
        containers: [
          { name: "collector", image: "collector", resources: { requests: { cpu: "100m", memory: "128Mi" } } },
        ],
      },
    },
  },
};

interface Workload {
  readonly app: string;
  readonly replicas: number;
  readonly cpu: string;
  readonly memory: string;
  readonly spec?: Readonly<Record<string, unknown>>;
}

const reliable = {
  nodeSelector: { tier: "reliable" },
  tolerations: [{ key: "tier", value: "reliable", effect: "NoSchedule" }],
};

const workloads: readonly Workload[] = [
  {
    app: "storefront",
    replicas: 60,
    cpu: "500m",
    memory: "1Gi",
    spec: { topologySpreadConstraints: [spread("storefront", zone)] },
  },
  {
    app: "search",
    replicas: 12,
    cpu: "3",
    memory: "22Gi",
    spec: { topologySpreadConstraints: [spread("search", host)] },
  },
  { app: "cart", replicas: 24, cpu: "250m", memory: "512Mi" },
  {
    app: "recommender",
    replicas: 8,
    cpu: "7",
    memory: "12Gi",
    spec: { nodeSelector: { "kubernetes.io/arch": "arm64" } },
  },
  { app: "nightly-report", replicas: 40, cpu: "1", memory: "1Gi" },
  {
    app: "database",
    replicas: 3,
    cpu: "6",
    memory: "40Gi",
    spec: {
      ...reliable,
      affinity: { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [near("database", zone)] } },
    },
  },
  { app: "queue", replicas: 3, cpu: "2", memory: "8Gi", spec: reliable },
  { app: "training", replicas: 1, cpu: "48", memory: "3Ti" },
];

function spread(app: string, topologyKey: string) {
  return { maxSkew: 1, topologyKey, whenUnsatisfiable: "DoNotSchedule", labelSelector: { matchLabels: { app } } };
}

function near(app: string, topologyKey: string) {
  return { topologyKey, labelSelector: { matchLabels: { app } } };
}

function podOf({ app, cpu, memory, spec }: Omit<Workload, "replicas">, index: number) {
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: `${app}-${index}`, namespace: "shop", uid: `${app}-${index}`, labels: { app } },
    spec: { containers: [{ name: app, image: app, resources: { requests: { cpu, memory } } }], ...spec },
  };
}
