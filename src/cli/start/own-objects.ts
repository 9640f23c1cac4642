/** The deployment that stands for this process, where people look for the controller and its log. */
const labels = { "app.kubernetes.io/name": "karpenter" };
const controlPlane = "node-role.kubernetes.io/control-plane";

const capacity = { cpu: "4", memory: "16Gi", "ephemeral-storage": "100Gi", pods: "110" };

/** Where the controller runs: a node that is not its own to end. */
const controlPlaneNode = {
  apiVersion: "v1",
  kind: "Node",
  metadata: {
    name: "control-plane",
    labels: {
      [controlPlane]: "",
      "kubernetes.io/hostname": "control-plane",
      "kubernetes.io/os": "linux",
      "kubernetes.io/arch": "amd64",
    },
  },
  spec: { taints: [{ key: controlPlane, effect: "NoSchedule" }] },
  status: { capacity, allocatable: capacity },
};

const deployment = {
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "karpenter", namespace: "kube-system", labels },
  spec: {
    replicas: 1,
    selector: { matchLabels: labels },
    template: {
      metadata: { labels },
      spec: {
        priorityClassName: "system-cluster-critical",
        nodeSelector: { [controlPlane]: "" },
        tolerations: [{ key: controlPlane, operator: "Exists", effect: "NoSchedule" }],
        // Not on a node that it could end itself.
        affinity: {
          nodeAffinity: {
            requiredDuringSchedulingIgnoredDuringExecution: {
              nodeSelectorTerms: [{ matchExpressions: [{ key: "karpenter.sh/nodepool", operator: "DoesNotExist" }] }],
            },
          },
        },
        containers: [
          { name: "controller", image: "karpenter", resources: { requests: { cpu: "500m", memory: "512Mi" } } },
        ],
      },
    },
  },
};

export const ownObjects: readonly object[] = [controlPlaneNode, deployment];

export function isOwnPod(pod: { metadata?: { namespace?: string; labels?: Record<string, string> } }): boolean {
  const { namespace, labels: found } = pod.metadata ?? {};
  return namespace === "kube-system" && found?.["app.kubernetes.io/name"] === "karpenter";
}
