/** Names on the wire that several parts of the provider share. */
export const awsGroup = "karpenter.k8s.aws";
export const nodeClassFinalizer = "karpenter.k8s.aws/termination";

export const nodeClassHashAnnotation = "karpenter.k8s.aws/ec2nodeclass-hash";
export const nodeClassHashVersionAnnotation = "karpenter.k8s.aws/ec2nodeclass-hash-version";
export const taggedAnnotation = "karpenter.k8s.aws/tagged";
export const clusterNameTaggedAnnotation = "compatibility.karpenter.k8s.aws/cluster-name-tagged";
/** On a claim: the instance profile that its machine was launched with. */
export const instanceProfileAnnotation = "karpenter.k8s.aws/instance-profile-name";

export const nodePoolTag = "karpenter.sh/nodepool";
export const nodeClaimTag = "karpenter.sh/nodeclaim";
/** With a number behind it: names of claims, one of which a machine is for, when it was bought together with others. */
export const claimListTagPrefix = "karpenter.k8s.aws/nodeclaims-";
export const nodeClassTag = "karpenter.k8s.aws/ec2nodeclass";
export const clusterNameTag = "eks:eks-cluster-name";
export const nameTag = "Name";
export const regionTag = "topology.kubernetes.io/region";

export function ownedTag(clusterName: string): string {
  return `kubernetes.io/cluster/${clusterName}`;
}

export const efaResource = "vpc.amazonaws.com/efa";

export const launchTemplatePrefix = "karpenter.k8s.aws/";

const label = (name: string): string => `karpenter.k8s.aws/${name}`;

export const zoneIdLabel = "topology.k8s.aws/zone-id";
export const instanceCategoryLabel = label("instance-category");
export const instanceGenerationLabel = label("instance-generation");
export const instanceFamilyLabel = label("instance-family");
export const instanceSizeLabel = label("instance-size");
export const instanceCapabilityFlexLabel = label("instance-capability-flex");
export const instanceCpuLabel = label("instance-cpu");
export const instanceCpuManufacturerLabel = label("instance-cpu-manufacturer");
export const instanceClockSpeedLabel = label("instance-cpu-sustained-clock-speed-mhz");
export const instanceMemoryLabel = label("instance-memory");
export const instanceEbsBandwidthLabel = label("instance-ebs-bandwidth");
export const instanceNetworkBandwidthLabel = label("instance-network-bandwidth");
export const instanceLocalNvmeLabel = label("instance-local-nvme");
export const instanceHypervisorLabel = label("instance-hypervisor");
export const instanceEncryptionInTransitLabel = label("instance-encryption-in-transit-supported");
export const nitroSandboxLabel = label("nitro-sandbox");
export const instanceGpuNameLabel = label("instance-gpu-name");
export const instanceGpuManufacturerLabel = label("instance-gpu-manufacturer");
export const instanceGpuCountLabel = label("instance-gpu-count");
export const instanceGpuMemoryLabel = label("instance-gpu-memory");
export const instanceAcceleratorNameLabel = label("instance-accelerator-name");
export const instanceAcceleratorManufacturerLabel = label("instance-accelerator-manufacturer");
export const instanceAcceleratorCountLabel = label("instance-accelerator-count");
export const instanceTenancyLabel = label("instance-tenancy");
export const capacityReservationIdLabel = label("capacity-reservation-id");
export const capacityReservationTypeLabel = label("capacity-reservation-type");
export const capacityReservationInterruptibleLabel = label("capacity-reservation-interruptible");
export const placementGroupIdLabel = label("placement-group-id");
export const placementGroupPartitionLabel = label("placement-group-partition");
export const nodeClassLabel = label("ec2nodeclass");
