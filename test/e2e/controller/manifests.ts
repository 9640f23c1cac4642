import type { Taint } from "kubernetes-types/core/v1.js";

export interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
  readonly message?: string;
}

export interface ObjectMeta {
  readonly name: string;
  readonly uid: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly finalizers?: readonly string[];
  readonly ownerReferences?: readonly object[];
  readonly creationTimestamp: string;
  readonly deletionTimestamp?: string;
}

export interface NodeClaim {
  readonly metadata: ObjectMeta;
  readonly spec: {
    readonly taints?: readonly Taint[];
    readonly startupTaints?: readonly Taint[];
    readonly requirements: readonly { readonly key: string; readonly values?: readonly string[] }[];
    readonly resources?: { readonly requests?: Readonly<Record<string, string>> };
    readonly nodeClassRef: object;
    readonly expireAfter?: string;
    readonly terminationGracePeriod?: string;
  };
  readonly status?: {
    readonly nodeName?: string;
    readonly providerID?: string;
    readonly capacity?: Readonly<Record<string, string>>;
    readonly allocatable?: Readonly<Record<string, string>>;
    readonly conditions?: readonly Condition[];
  };
}

export interface NodePool {
  readonly metadata: ObjectMeta;
  readonly status?: {
    readonly nodes?: number;
    readonly resources?: Readonly<Record<string, string>>;
    readonly conditions?: readonly Condition[];
  };
}

export interface PoolWishes {
  /** Room for three pods of a core each, when nothing else is said. */
  readonly instanceTypes?: readonly string[];
  readonly limits?: Readonly<Record<string, string>> | undefined;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly spec?: object;
}

export const nodeClass = {
  apiVersion: "karpenter.kwok.sh/v1alpha1",
  kind: "KWOKNodeClass",
  metadata: { name: "default" },
};

export function nodePool(name: string, wishes: PoolWishes = {}): object {
  const { instanceTypes = ["c-4x-amd64-linux"], labels = {}, annotations = {}, spec = {} } = wishes;
  const limits = "limits" in wishes ? wishes.limits : { cpu: "1000" };
  return {
    apiVersion: "karpenter.sh/v1",
    kind: "NodePool",
    metadata: { name },
    spec: {
      ...(limits && { limits }),
      disruption: { consolidateAfter: "Never" },
      template: {
        metadata: { labels, annotations },
        spec: {
          nodeClassRef: { group: "karpenter.kwok.sh", kind: "KWOKNodeClass", name: "default" },
          requirements: [{ key: "node.kubernetes.io/instance-type", operator: "In", values: instanceTypes }],
          ...spec,
        },
      },
    },
  };
}

export interface PodWishes {
  readonly pool: string;
  readonly cpu?: string;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly spec?: object;
}

/** Pods that run on nodes of one pool and nowhere else, so that stories leave each other alone. */
export function podTemplate(app: string, { pool, cpu = "1", annotations = {}, spec = {} }: PodWishes): object {
  return {
    metadata: { labels: { app }, annotations },
    spec: {
      nodeSelector: { "karpenter.sh/nodepool": pool },
      terminationGracePeriodSeconds: 0,
      containers: [{ name: "main", image: "example.com/main", resources: { requests: { cpu } } }],
      ...spec,
    },
  };
}

export function deployment(app: string, replicas: number, wishes: PodWishes): object {
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: app },
    spec: { replicas, selector: { matchLabels: { app } }, template: podTemplate(app, wishes) },
  };
}
