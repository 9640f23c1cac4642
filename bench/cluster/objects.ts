/** A node as a cloud would register it. */
export function nodeNamed(name: string): object {
  const resources = { cpu: "16", memory: "64Gi", "ephemeral-storage": "100Gi", pods: "110" };
  return {
    apiVersion: "v1",
    kind: "Node",
    metadata: {
      name,
      labels: {
        "kubernetes.io/arch": "amd64",
        "kubernetes.io/hostname": name,
        "kubernetes.io/os": "linux",
        "karpenter.sh/capacity-type": "spot",
        "karpenter.sh/nodepool": "default",
        "node.kubernetes.io/instance-type": "m7g.4xlarge",
        "topology.kubernetes.io/region": "region-1",
        "topology.kubernetes.io/zone": `zone-${name.length % 3}`,
      },
    },
    spec: { providerID: `bench:///${name}` },
    status: { capacity: resources, allocatable: resources },
  };
}

/** A pod as a deployment would make it; what is the same in all of them is written out in each, as clients send it. */
export function podNamed(name: string, namespace: string, nodeName?: string): object {
  const pod = {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      name,
      namespace,
      labels: { app: `app-${name.length % 40}`, "pod-template-hash": "6d4cf56db6", team: "bench" },
      annotations: { "example.com/checksum": "0123456789abcdef0123456789abcdef" },
    },
    spec: {
      ...(nodeName === undefined ? {} : { nodeName }),
      containers: [
        {
          name: "main",
          image: "registry.example.com/team/app:v1.2.3",
          env: [
            { name: "POD_NAME", valueFrom: { fieldRef: { fieldPath: "metadata.name" } } },
            { name: "LOG_LEVEL", value: "info" },
          ],
          ports: [{ containerPort: 8080, name: "http" }],
          resources: { requests: { cpu: "100m", memory: "128Mi" }, limits: { memory: "256Mi" } },
          readinessProbe: { httpGet: { path: "/ready", port: "http" } },
        },
      ],
      topologySpreadConstraints: [
        {
          maxSkew: 1,
          topologyKey: "topology.kubernetes.io/zone",
          whenUnsatisfiable: "ScheduleAnyway",
          labelSelector: { matchLabels: { team: "bench" } },
        },
      ],
    },
  };
  return JSON.parse(JSON.stringify(pod)) as object;
}
