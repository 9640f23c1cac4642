/** The kinds of object that are ours, as the API serves them. */
export const nodePools = {
  group: "karpenter.sh",
  version: "v1",
  plural: "nodepools",
  kind: "NodePool",
  isNamespaced: false,
} as const;

export const nodeClaims = {
  group: "karpenter.sh",
  version: "v1",
  plural: "nodeclaims",
  kind: "NodeClaim",
  isNamespaced: false,
} as const;

export const nodeOverlays = {
  group: "karpenter.sh",
  version: "v1alpha1",
  plural: "nodeoverlays",
  kind: "NodeOverlay",
  isNamespaced: false,
} as const;

export const capacityBuffers = {
  group: "autoscaling.x-k8s.io",
  version: "v1beta1",
  plural: "capacitybuffers",
  kind: "CapacityBuffer",
  isNamespaced: true,
} as const;
