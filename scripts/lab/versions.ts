/** What a real control plane is built from. The folder of the built programs is named after `kubernetes`. */
export const versions = {
  kubernetes: "1.36.3",
  etcd: "3.6.16",
  kwok: "0.7.0",
  karpenter: "1.14.1",
  "karpenter-provider-aws": "1.14.1",
  helm: "3.22.0",
} as const;
