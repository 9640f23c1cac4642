import type { Wire } from "../support/builders.ts";

export const nodeClassRef = { group: "karpenter.kwok.sh", kind: "KWOKNodeClass", name: "default" };

export function nodeClass(name = "default", spec: Wire = {}): Manifest {
  return { apiVersion: "karpenter.kwok.sh/v1alpha1", kind: "KWOKNodeClass", metadata: { name }, spec };
}

export interface PoolParts {
  readonly limits?: Record<string, string>;
  readonly weight?: number;
  readonly replicas?: number;
  readonly disruption?: Wire;
  readonly annotations?: Record<string, string>;
  /** Of the template. */
  readonly spec?: Wire;
}

export function nodePool(name = "general", { spec, annotations, ...parts }: PoolParts = {}): Manifest {
  return {
    apiVersion: "karpenter.sh/v1",
    kind: "NodePool",
    metadata: { name, ...(annotations === undefined ? {} : { annotations }) },
    spec: {
      template: { spec: { nodeClassRef, requirements: [], expireAfter: "Never", ...spec } },
      ...parts,
    },
  };
}

export interface PodParts {
  readonly cpu?: string;
  readonly memory?: string;
  readonly labels?: Record<string, string>;
  readonly annotations?: Record<string, string>;
  /** Of the pods. */
  readonly spec?: Wire;
}

interface Template {
  readonly metadata: Wire;
  readonly spec: Wire & { readonly containers: readonly Wire[] };
}

function template(name: string, { cpu = "500m", memory = "512Mi", labels, annotations, spec }: PodParts): Template {
  return {
    metadata: { labels: { app: name, ...labels }, ...(annotations === undefined ? {} : { annotations }) },
    spec: {
      terminationGracePeriodSeconds: 5,
      containers: [{ name: "main", image: "example.com/main:1", resources: { requests: { cpu, memory } } }],
      ...spec,
    },
  };
}

export function pod(name: string, parts: PodParts = {}): Manifest {
  const { metadata, spec } = template(name, parts);
  return { apiVersion: "v1", kind: "Pod", metadata: { ...metadata, name, namespace: "default" }, spec };
}

export function deployment(name: string, replicas: number, parts: PodParts = {}): Manifest {
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name, namespace: "default" },
    spec: { replicas, selector: { matchLabels: { app: name } }, template: template(name, parts) },
  };
}

export function daemonSet(name: string, parts: PodParts = {}): Manifest {
  return {
    apiVersion: "apps/v1",
    kind: "DaemonSet",
    metadata: { name, namespace: "default" },
    spec: { selector: { matchLabels: { app: name } }, template: template(name, parts) },
  };
}

export const storageClass: Manifest = {
  apiVersion: "storage.k8s.io/v1",
  kind: "StorageClass",
  metadata: { name: "disks" },
  provisioner: "disks.example.com",
  volumeBindingMode: "WaitForFirstConsumer",
};

export function statefulSet(name: string, replicas: number, parts: PodParts = {}): Manifest {
  const { metadata, spec } = template(name, parts);
  const [container] = spec.containers;
  return {
    apiVersion: "apps/v1",
    kind: "StatefulSet",
    metadata: { name, namespace: "default" },
    spec: {
      replicas,
      serviceName: name,
      podManagementPolicy: "Parallel",
      selector: { matchLabels: { app: name } },
      template: {
        metadata,
        spec: { ...spec, containers: [{ ...container, volumeMounts: [{ name: "data", mountPath: "/data" }] }] },
      },
      volumeClaimTemplates: [
        {
          metadata: { name: "data" },
          spec: {
            accessModes: ["ReadWriteOnce"],
            storageClassName: "disks",
            resources: { requests: { storage: "1Gi" } },
          },
        },
      ],
    },
  };
}

export function budget(app: string, spec: Wire): Manifest {
  return {
    apiVersion: "policy/v1",
    kind: "PodDisruptionBudget",
    metadata: { name: app, namespace: "default" },
    spec: { selector: { matchLabels: { app } }, ...spec },
  };
}

export function spread(app: string, topologyKey: string): Wire {
  return {
    topologySpreadConstraints: [
      { maxSkew: 1, topologyKey, whenUnsatisfiable: "DoNotSchedule", labelSelector: { matchLabels: { app } } },
    ],
  };
}

export function apart(app: string): Wire {
  return {
    affinity: {
      podAntiAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: [
          { topologyKey: "kubernetes.io/hostname", labelSelector: { matchLabels: { app } } },
        ],
      },
    },
  };
}

export interface Manifest extends Wire {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
}
