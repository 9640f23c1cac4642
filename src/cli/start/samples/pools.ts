const nodeClassRef = { group: "karpenter.kwok.sh", kind: "KWOKNodeClass", name: "default" };
const capacityType = "karpenter.sh/capacity-type";
const arch = "kubernetes.io/arch";

/** Machines that take a while to boot, as real ones do. */
export const sampleNodeClass = {
  apiVersion: "karpenter.kwok.sh/v1alpha1",
  kind: "KWOKNodeClass",
  metadata: { name: "default" },
  spec: { nodeRegistrationDelay: "8s" },
};

/** For everything that does not say otherwise. Its nodes do not live long, so that there is something to see. */
const general = pool("general", {
  limits: { cpu: "160", memory: "800Gi" },
  expireAfter: "20m",
  requirements: [
    { key: arch, operator: "In", values: ["amd64"] },
    { key: capacityType, operator: "In", values: ["spot", "on-demand"] },
    // Many tiny nodes are cheap, and hard to look at.
    { key: "karpenter.kwok.sh/instance-cpu", operator: "Gt", values: ["3"] },
  ],
});

const arm = pool("arm", {
  limits: { cpu: "64" },
  expireAfter: "30m",
  requirements: [
    { key: arch, operator: "In", values: ["arm64"] },
    { key: capacityType, operator: "In", values: ["spot"] },
  ],
});

/** For what must not be interrupted: on demand, and only for those who ask. */
const reliable = pool("reliable", {
  limits: { cpu: "48" },
  expireAfter: "Never",
  labels: { tier: "reliable" },
  taints: [{ key: "tier", value: "reliable", effect: "NoSchedule" }],
  requirements: [{ key: capacityType, operator: "In", values: ["on-demand"] }],
});

/** Keeps two nodes, whatever the pods are. */
const standby = pool("standby", {
  replicas: 2,
  limits: { nodes: "3" },
  expireAfter: "Never",
  requirements: [
    { key: "karpenter.kwok.sh/instance-family", operator: "In", values: ["m7i", "m6i", "m5", "s"] },
    { key: "karpenter.kwok.sh/instance-cpu", operator: "In", values: ["2"] },
    { key: arch, operator: "In", values: ["amd64"] },
    { key: capacityType, operator: "In", values: ["on-demand"] },
  ],
});

export const samplePools: readonly object[] = [general, arm, reliable, standby];

interface PoolParts {
  readonly limits: object;
  readonly expireAfter: string;
  readonly requirements: readonly object[];
  readonly labels?: object;
  readonly taints?: readonly object[];
  readonly replicas?: number;
}

function pool(name: string, { limits, expireAfter, requirements, labels, taints, replicas }: PoolParts): object {
  return {
    apiVersion: "karpenter.sh/v1",
    kind: "NodePool",
    metadata: { name },
    spec: {
      ...(replicas === undefined ? {} : { replicas }),
      limits,
      disruption: { consolidationPolicy: "Balanced", consolidateAfter: "30s", budgets: [{ nodes: "20%" }] },
      template: {
        ...(labels === undefined ? {} : { metadata: { labels } }),
        spec: {
          nodeClassRef,
          expireAfter,
          ...(taints === undefined ? {} : { taints }),
          requirements: [{ key: "kubernetes.io/os", operator: "In", values: ["linux"] }, ...requirements],
        },
      },
    },
  };
}
