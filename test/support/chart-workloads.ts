import type { KubeObject } from "../../src/runtime/kube-object.ts";

/** The objects of a chart as the API server has them, by their plural names. */
export type ChartObjects = Readonly<Record<"deployments" | "replicasets" | "statefulsets", readonly KubeObject[]>>;

const createdAt = "2026-01-01T00:00:00Z";

/**
 * What an ordinary chart makes: a Deployment, the ReplicaSets of its last ten rollouts and the one of now, and perhaps a
 * StatefulSet. Its pods avoid each other and spread over zones by labels of their own.
 */
export function chartObjects(number: number, rollouts: number): ChartObjects {
  const app = `service-${number}`;
  const namespace = `team-${number % 40}`;
  const identity = (kind: string, name: string) => ({
    name,
    namespace,
    uid: uidOf(`${kind}/${name}`),
    resourceVersion: String(1_000_000 + number),
    creationTimestamp: createdAt,
    generation: 3,
    labels: labelsOf(app),
    annotations: { "meta.helm.sh/release-name": app, "meta.helm.sh/release-namespace": namespace },
  });
  const status = { observedGeneration: 3, replicas: 2 };
  const controller = { apiVersion: "apps/v1", kind: "Deployment", name: app, uid: uidOf(`Deployment/${app}`) };
  const replicaSets = Array.from({ length: rollouts + 1 }, (_, rollout) => {
    const hash = (number * 7_919 + rollout).toString(36).padStart(9, "b");
    const ownerReferences = [{ ...controller, controller: true, blockOwnerDeletion: true }];
    const template = templateOf(app, rollout, { "pod-template-hash": hash });
    return {
      metadata: { ...identity("ReplicaSet", `${app}-${hash}`), ownerReferences },
      spec: { replicas: rollout === rollouts ? 2 : 0, template },
      status,
    };
  });
  const template = templateOf(app, rollouts);
  return {
    deployments: [{ metadata: identity("Deployment", app), spec: { replicas: 2, template }, status }],
    replicasets: replicaSets,
    statefulsets: [
      {
        metadata: identity("StatefulSet", `${app}-db`),
        spec: {
          replicas: 2,
          serviceName: `${app}-db`,
          template: templateOf(`${app}-db`, rollouts),
          volumeClaimTemplates: [{ metadata: { name: "data" }, spec: { resources: { requests: { storage: "1Gi" } } } }],
        },
        status: { ...status, currentRevision: `${app}-db-1`, updateRevision: `${app}-db-1` },
      },
    ],
  };
}

function labelsOf(app: string): Record<string, string> {
  return {
    "app.kubernetes.io/name": app,
    "app.kubernetes.io/instance": app,
    "app.kubernetes.io/managed-by": "Helm",
    "helm.sh/chart": `${app}-1.2.3`,
  };
}

function templateOf(app: string, rollout: number, labels: Record<string, string> = {}): object {
  const labelSelector = { matchLabels: { "app.kubernetes.io/name": app, "app.kubernetes.io/instance": app } };
  const probe = { httpGet: { path: "/healthz", port: 8080, scheme: "HTTP" }, periodSeconds: 10, failureThreshold: 3 };
  const container = {
    name: "main",
    image: `registry.example.com/team/${app}:1.2.${rollout}`,
    env: Array.from({ length: 20 }, (_, at) => ({ name: `SETTING_${at}`, value: `value-${rollout}-${at}` })),
    ports: [{ name: "http", containerPort: 8080, protocol: "TCP" }],
    resources: { requests: { cpu: "250m", memory: "256Mi" }, limits: { memory: "512Mi" } },
    livenessProbe: probe,
    readinessProbe: probe,
    volumeMounts: [{ name: "config", mountPath: "/etc/app" }],
  };
  return {
    metadata: { labels: { ...labelsOf(app), ...labels }, annotations: { "checksum/config": "f".repeat(64) } },
    spec: {
      containers: [container],
      serviceAccountName: app,
      nodeSelector: { "kubernetes.io/os": "linux" },
      tolerations: [{ key: "dedicated", operator: "Equal", value: "services", effect: "NoSchedule" }],
      volumes: [{ name: "config", configMap: { name: app } }],
      affinity: {
        podAntiAffinity: {
          preferredDuringSchedulingIgnoredDuringExecution: [
            { weight: 100, podAffinityTerm: { topologyKey: "kubernetes.io/hostname", labelSelector } },
          ],
        },
      },
      topologySpreadConstraints: [
        { maxSkew: 1, topologyKey: "topology.kubernetes.io/zone", whenUnsatisfiable: "ScheduleAnyway", labelSelector },
      ],
    },
  };
}

/** Looks like a uid, and is another one for every name. */
function uidOf(name: string): string {
  const digits = [...name].reduce((hash, letter) => (hash * 31n + BigInt(letter.charCodeAt(0))) % 2n ** 128n, 7n);
  const hex = digits.toString(16).padStart(32, "0");
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-");
}
