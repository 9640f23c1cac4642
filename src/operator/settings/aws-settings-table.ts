import { awsFeatureGates } from "./feature-gates.ts";
import { address, boolean, duration, fraction, integer, text } from "./setting.ts";

const oneMinute = 60_000;

/** What only the AWS provider heeds. */
export const awsSettingsTable = {
  clusterName: text({
    flag: "cluster-name",
    variable: "CLUSTER_NAME",
    placeholder: "name",
    help: "With aws, the name of the EKS cluster, which machines are tagged with. Required.",
  }),
  clusterEndpoint: address({
    flag: "cluster-endpoint",
    variable: "CLUSTER_ENDPOINT",
    help: "With aws, where machines find the API server. When empty, EKS is asked.",
  }),
  clusterCaBundle: text({
    flag: "cluster-ca-bundle",
    variable: "CLUSTER_CA_BUNDLE",
    placeholder: "base64",
    help: "With aws, the certificate authority that machines trust the API server by. When empty, that of the controller itself.",
  }),
  isolatedVpc: boolean({
    flag: "isolated-vpc",
    variable: "ISOLATED_VPC",
    help: "With aws, the controller reaches nothing outside its VPC: prices are those that it brings along, and instance profiles are not collected.",
  }),
  eksControlPlane: boolean({
    flag: "eks-control-plane",
    variable: "EKS_CONTROL_PLANE",
    help: "With aws, ask EKS for the version of Kubernetes, and not the API server.",
  }),
  vmMemoryOverheadPercent: fraction({
    flag: "vm-memory-overhead-percent",
    variable: "VM_MEMORY_OVERHEAD_PERCENT",
    default: "0.075",
    help: "With aws, the share of a machine's memory that its hypervisor and kernel are reckoned to keep, until a machine of the type has shown what it has.",
  }),
  interruptionQueue: text({
    flag: "interruption-queue",
    variable: "INTERRUPTION_QUEUE",
    placeholder: "name",
    help: "With aws, the SQS queue that tells of machines which are about to go. None when empty.",
  }),
  reservedEnis: integer({
    flag: "reserved-enis",
    variable: "RESERVED_ENIS",
    placeholder: "number",
    min: 0,
    max: 1_000,
    help: "With aws, network interfaces of each machine that pods get no addresses of, as with custom networking.",
  }),
  disableDryRun: boolean({
    flag: "disable-dry-run",
    variable: "DISABLE_DRY_RUN",
    help: "With aws, take a node class for valid without rehearsing a launch.",
  }),
  enableZonalShift: boolean({
    flag: "enable-zonal-shift",
    variable: "ENABLE_ZONAL_SHIFT",
    help: "With aws, buy nothing in zones that Application Recovery Controller has shifted the cluster away from.",
  }),
  amiRefreshMilliseconds: duration({
    flag: "ami-refresh-interval",
    variable: "AMI_REFRESH_INTERVAL",
    default: "1m",
    min: oneMinute,
    help: "With aws, how long images that were found count as found.",
  }),
  subnetRefreshMilliseconds: duration({
    flag: "subnet-refresh-interval",
    variable: "SUBNET_REFRESH_INTERVAL",
    default: "1m",
    min: oneMinute,
    help: "With aws, how long subnets that were found count as found.",
  }),
  awsFeatureGates,
};
