/** Labels and annotations. A Map, because keys come from users and an object would inherit some. */
export type Labels = ReadonlyMap<string, string>;

export const zoneLabel = "topology.kubernetes.io/zone";
export const regionLabel = "topology.kubernetes.io/region";
export const hostnameLabel = "kubernetes.io/hostname";
export const instanceTypeLabel = "node.kubernetes.io/instance-type";
export const archLabel = "kubernetes.io/arch";
export const osLabel = "kubernetes.io/os";
export const windowsBuildLabel = "node.kubernetes.io/windows-build";
export const capacityTypeLabel = "karpenter.sh/capacity-type";
export const nodePoolLabel = "karpenter.sh/nodepool";
export const registeredLabel = "karpenter.sh/registered";
export const initializedLabel = "karpenter.sh/initialized";
