import { deployment } from "../controller/manifests.ts";

/** Everything that is not so by itself, with the names by which it is found again. */
export const names = {
  /** Machines of this class join when somebody says so. */
  slowClass: "slow",
  pools: {
    /** Full nodes that may be consolidated at any time. */
    plain: "plain",
    /** Labels, annotations, taints, startup taints and limits. */
    walled: "walled",
    fixed: "fixed",
    /** Of several families, at least so many. */
    varied: "varied",
    /** Never expires, and has a deadline for drains. */
    lasting: "lasting",
    /** Its template has changed, and its budget allows nothing. */
    outdated: "outdated",
    /** Its nodes drain for as long as somebody guards their pods. */
    leaving: "leaving",
    slow: "slow",
  },
  /** A claim of no pool. */
  single: "single",
  startupTaint: "example.com/agent",
} as const;

type PoolName = (typeof names.pools)[keyof typeof names.pools];

const { pools } = names;
const type = "node.kubernetes.io/instance-type";
const onDemand = { key: "karpenter.sh/capacity-type", operator: "In", values: ["on-demand"] };
/** A node has room for three pods of a core each, and whoever is on it leaves no room for more. */
const oneType = { key: type, operator: "In", values: ["c-4x-amd64-linux"] };
const soon = { consolidateAfter: "1s" };
const whenEmpty = { ...soon, consolidationPolicy: "WhenEmpty" };
const never = { consolidateAfter: "Never" };

interface Wishes {
  readonly disruption: object;
  readonly template?: object;
  readonly metadata?: object;
  readonly spec?: object;
}

function pool(name: PoolName, { disruption, template = {}, metadata = {}, spec = {} }: Wishes): object {
  return {
    apiVersion: "karpenter.sh/v1",
    kind: "NodePool",
    metadata: { name },
    spec: {
      disruption,
      template: {
        metadata,
        spec: {
          nodeClassRef: { group: "karpenter.kwok.sh", kind: "KWOKNodeClass", name: "default" },
          requirements: [oneType, onDemand],
          ...template,
        },
      },
      ...spec,
    },
  };
}

const families = ["c", "m", "s"];
const variety = [
  { key: "karpenter.kwok.sh/instance-family", operator: "In", values: families, minValues: families.length },
  { key: "karpenter.sh/capacity-type", operator: "In", values: ["on-demand", "spot"] },
  { key: "kubernetes.io/arch", operator: "In", values: ["amd64"] },
  { key: "kubernetes.io/os", operator: "In", values: ["linux"] },
];

const dedicated = { key: "dedicated", value: "database", effect: "NoSchedule" };

/** Pools of many kinds, written as the Go version takes them. */
export const fleet: readonly object[] = [
  { apiVersion: "karpenter.kwok.sh/v1alpha1", kind: "KWOKNodeClass", metadata: { name: "default" } },
  {
    apiVersion: "karpenter.kwok.sh/v1alpha1",
    kind: "KWOKNodeClass",
    metadata: { name: names.slowClass },
    spec: { nodeRegistrationDelay: "10m" },
  },
  pool(pools.plain, { disruption: { ...soon, consolidationPolicy: "WhenEmptyOrUnderutilized" } }),
  pool(pools.walled, {
    disruption: whenEmpty,
    metadata: { labels: { tier: "database" }, annotations: { "example.com/owner": "storage" } },
    template: {
      taints: [dedicated],
      startupTaints: [{ key: names.startupTaint, effect: "NoSchedule" }],
    },
    spec: { limits: { cpu: "16", memory: "64Gi" }, weight: 10 },
  }),
  pool(pools.fixed, { disruption: whenEmpty, spec: { replicas: 2 } }),
  pool(pools.varied, { disruption: whenEmpty, template: { requirements: variety } }),
  pool(pools.lasting, {
    disruption: never,
    metadata: { annotations: { "example.com/note": "stays" } },
    template: { expireAfter: "Never", terminationGracePeriod: "1h30m" },
  }),
  pool(pools.outdated, { disruption: { ...soon, budgets: [{ nodes: "0" }] } }),
  pool(pools.leaving, { disruption: never }),
  pool(pools.slow, {
    disruption: never,
    template: { nodeClassRef: { group: "karpenter.kwok.sh", kind: "KWOKNodeClass", name: names.slowClass } },
  }),
  {
    apiVersion: "karpenter.sh/v1",
    kind: "NodeClaim",
    metadata: { name: names.single },
    spec: {
      nodeClassRef: { group: "karpenter.kwok.sh", kind: "KWOKNodeClass", name: "default" },
      requirements: [{ key: type, operator: "In", values: ["c-1x-amd64-linux"] }, onDemand],
      resources: { requests: { cpu: "500m" } },
    },
  },
];

/** A change by which the nodes of a pool drift. */
export const newTemplate = { spec: { template: { metadata: { labels: { edition: "second" } } } } };

/** How many pods each has when all is well. */
export const replicas: Readonly<Record<string, number>> = {
  web: 6,
  database: 3,
  mixed: 2,
  lasting: 1,
  outdated: 1,
  guarded: 2,
  slow: 1,
};

export const workload: readonly object[] = [
  app("web", { pool: pools.plain }),
  app("database", { pool: pools.walled, spec: { tolerations: [{ ...dedicated, operator: "Equal" }] } }),
  app("mixed", { pool: pools.varied }),
  app("lasting", { pool: pools.lasting, annotations: { "karpenter.sh/do-not-disrupt": "true" } }),
  app("outdated", { pool: pools.outdated }),
  app("guarded", { pool: pools.leaving }),
  app("slow", { pool: pools.slow }),
  {
    apiVersion: "apps/v1",
    kind: "DaemonSet",
    metadata: { name: "agent" },
    spec: {
      selector: { matchLabels: { app: "agent" } },
      template: {
        metadata: { labels: { app: "agent" } },
        spec: {
          tolerations: [{ operator: "Exists" }],
          terminationGracePeriodSeconds: 0,
          containers: [{ name: "main", image: "example.com/agent", resources: { requests: { cpu: "10m" } } }],
        },
      },
    },
  },
];

/** No pod of these may go. */
export const guard = {
  apiVersion: "policy/v1",
  kind: "PodDisruptionBudget",
  metadata: { name: "guarded" },
  spec: { maxUnavailable: 0, selector: { matchLabels: { app: "guarded" } } },
};

/** A pod that no node has room for. */
export function lateApp(name: string): object {
  return deployment(name, 1, { pool: pools.plain, cpu: "3" });
}

function app(name: string, wishes: Parameters<typeof deployment>[2]): object {
  return deployment(name, replicas[name] ?? 0, wishes);
}

const ec2Class = { group: "karpenter.k8s.aws", kind: "EC2NodeClass", name: "default" };

/** The same on machines of AWS: nodes that are full, and some of any kind. */
export const machineFleet: readonly object[] = [
  pool(pools.plain, {
    disruption: { ...soon, consolidationPolicy: "WhenEmptyOrUnderutilized" },
    template: {
      nodeClassRef: ec2Class,
      requirements: [{ key: type, operator: "In", values: ["m5.xlarge"] }, onDemand],
    },
  }),
  pool(pools.varied, {
    disruption: whenEmpty,
    metadata: { labels: { tier: "batch" }, annotations: { "example.com/owner": "batch" } },
    template: {
      nodeClassRef: ec2Class,
      requirements: [
        { key: "karpenter.k8s.aws/instance-category", operator: "In", values: ["c", "m", "r"], minValues: 2 },
        { key: "karpenter.sh/capacity-type", operator: "In", values: ["on-demand", "spot"] },
        { key: "kubernetes.io/arch", operator: "In", values: ["amd64"] },
      ],
      expireAfter: "Never",
    },
  }),
];

export const machineReplicas: Readonly<Record<string, number>> = { web: 6, mixed: 2 };

export const machineWorkload: readonly object[] = [
  app("web", { pool: pools.plain }),
  app("mixed", { pool: pools.varied }),
];
