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

export const ec2NodeClasses = {
  group: "karpenter.k8s.aws",
  version: "v1",
  plural: "ec2nodeclasses",
  kind: "EC2NodeClass",
  isNamespaced: false,
} as const;

/** What pools were called until 2023, of every version that was not in a namespace. */
export const provisioners = {
  group: "karpenter.sh",
  version: "v1alpha5",
  plural: "provisioners",
  kind: "Provisioner",
  isNamespaced: false,
} as const;

/** Those of the first months of 2021, each in a namespace. */
export const firstProvisioners = {
  group: "provisioning.karpenter.sh",
  version: "v1alpha2",
  plural: "provisioners",
  kind: "Provisioner",
  isNamespaced: true,
} as const;

/** What node classes were called until 2023. */
export const nodeTemplates = {
  group: "karpenter.k8s.aws",
  version: "v1alpha1",
  plural: "awsnodetemplates",
  kind: "AWSNodeTemplate",
  isNamespaced: false,
} as const;
