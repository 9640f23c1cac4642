/** What the sample deploys, and between which sizes it goes up and down. */
export interface Workload {
  readonly name: string;
  readonly least: number;
  readonly most: number;
  readonly cpu: string;
  readonly memory: string;
  readonly spec?: object;
  /** Of its disruption budget; none where absent. */
  readonly maxUnavailable?: string | number;
}

export const sampleNamespace = "shop";
const zone = "topology.kubernetes.io/zone";
const host = "kubernetes.io/hostname";

const reliable = {
  nodeSelector: { tier: "reliable" },
  tolerations: [{ key: "tier", value: "reliable", effect: "NoSchedule" }],
};

/** The one that the keys change. */
export const storefront: Workload = {
  name: "storefront",
  least: 6,
  most: 48,
  cpu: "500m",
  memory: "1Gi",
  spec: { topologySpreadConstraints: [spread("storefront", zone)] },
  maxUnavailable: "25%",
};

/** A shop, whose customers come and go. */
export const sampleWorkloads: readonly Workload[] = [
  storefront,
  { name: "cart", least: 4, most: 24, cpu: "250m", memory: "512Mi", maxUnavailable: "25%" },
  {
    name: "search",
    least: 2,
    most: 6,
    cpu: "3",
    memory: "20Gi",
    spec: { topologySpreadConstraints: [spread("search", host)] },
    maxUnavailable: 1,
  },
  {
    name: "recommender",
    least: 1,
    most: 8,
    cpu: "3500m",
    memory: "6Gi",
    spec: { nodeSelector: { "kubernetes.io/arch": "arm64" } },
  },
  {
    name: "database",
    least: 3,
    most: 3,
    cpu: "3",
    memory: "24Gi",
    spec: {
      ...reliable,
      affinity: {
        podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [near("database", zone)] },
      },
    },
    maxUnavailable: 1,
  },
  // More than any machine has: somebody has to say so.
  { name: "training", least: 1, most: 1, cpu: "48", memory: "3Ti" },
];

/** On every node that pods run on. */
const logCollector = {
  apiVersion: "apps/v1",
  kind: "DaemonSet",
  metadata: { name: "log-collector", namespace: "kube-system" },
  spec: {
    selector: { matchLabels: { app: "log-collector" } },
    template: {
      metadata: { labels: { app: "log-collector" } },
      spec: { tolerations: [{ operator: "Exists" }], containers: [container("collector", "100m", "128Mi")] },
    },
  },
};

export const sampleObjects: readonly object[] = [
  { apiVersion: "v1", kind: "Namespace", metadata: { name: sampleNamespace } },
  logCollector,
  ...sampleWorkloads.flatMap((workload) => [deploymentOf(workload), ...budgetsOf(workload)]),
];

/** Work that comes at once and is done after a while. */
export function reportJob(number: number): object {
  const name = `report-${number}`;
  return {
    apiVersion: "batch/v1",
    kind: "Job",
    metadata: { name, namespace: sampleNamespace },
    spec: {
      completions: 16,
      parallelism: 16,
      ttlSecondsAfterFinished: 30,
      template: {
        metadata: { labels: { app: name }, annotations: { "embedded.karpenter.sh/run-seconds": "60" } },
        spec: { restartPolicy: "Never", containers: [container("report", "1", "1Gi")] },
      },
    },
  };
}

function deploymentOf({ name, least, cpu, memory, spec }: Workload): object {
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name, namespace: sampleNamespace },
    spec: {
      replicas: least,
      selector: { matchLabels: { app: name } },
      template: {
        metadata: { labels: { app: name }, annotations: { "embedded.karpenter.sh/ready-seconds": "2" } },
        spec: { containers: [container(name, cpu, memory)], ...spec },
      },
    },
  };
}

function budgetsOf({ name, maxUnavailable }: Workload): readonly object[] {
  if (maxUnavailable === undefined) return [];
  return [
    {
      apiVersion: "policy/v1",
      kind: "PodDisruptionBudget",
      metadata: { name, namespace: sampleNamespace },
      spec: { maxUnavailable, selector: { matchLabels: { app: name } } },
    },
  ];
}

function container(name: string, cpu: string, memory: string): object {
  return { name, image: `example.com/${name}`, resources: { requests: { cpu, memory } } };
}

function spread(app: string, topologyKey: string): object {
  return { maxSkew: 1, topologyKey, whenUnsatisfiable: "DoNotSchedule", labelSelector: { matchLabels: { app } } };
}

function near(app: string, topologyKey: string): object {
  return { topologyKey, labelSelector: { matchLabels: { app } } };
}
