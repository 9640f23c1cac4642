import type { Condition } from "../../../core/model/condition.ts";
import type { Labels } from "../../../core/model/labels.ts";
import type { ObjectIdentity } from "../../../core/model/object-identity.ts";
import type { RequirementEntry } from "../../../core/model/requirement-entries.ts";

/** How machines on EC2 come to be, as its object says, and what has been found for it. */
export interface Ec2NodeClass extends ObjectIdentity {
  readonly annotations: Labels;
  readonly spec: Ec2NodeClassSpec;
  readonly status: Ec2NodeClassStatus;
  readonly conditions: readonly Condition[];
}

export type ImageFamily = "AL2" | "AL2023" | "Bottlerocket" | "Custom" | "Windows2019" | "Windows2022" | "Windows2025";

/** Fields are named as on the wire; what is not given there is undefined or empty here. */
export interface Ec2NodeClassSpec {
  readonly subnetSelectorTerms: readonly SubnetTerm[];
  readonly securityGroupSelectorTerms: readonly SecurityGroupTerm[];
  readonly capacityReservationSelectorTerms: readonly CapacityReservationTerm[];
  readonly placementGroupSelector: PlacementGroupTerm | undefined;
  readonly associatePublicIPAddress: boolean | undefined;
  readonly ipPrefixCount: number | undefined;
  readonly amiSelectorTerms: readonly ImageTerm[];
  /** As given, or that of the alias. */
  readonly amiFamily: ImageFamily;
  readonly userData: string | undefined;
  readonly role: string | undefined;
  readonly instanceProfile: string | undefined;
  readonly tags: Labels;
  /** As written: any field of a KubeletConfiguration. */
  readonly kubelet: Readonly<Record<string, unknown>> | undefined;
  readonly blockDeviceMappings: readonly BlockDevice[];
  readonly instanceStorePolicy: "RAID0" | undefined;
  readonly networkInterfaces: readonly NetworkInterface[];
  readonly detailedMonitoring: boolean;
  readonly metadataOptions: MetadataOptions;
  readonly connectionTracking: ConnectionTracking | undefined;
  readonly context: string | undefined;
  readonly cpuOptions: { readonly nestedVirtualization: "enabled" | "disabled" | undefined } | undefined;
}

/** What a term says must all hold; one of several terms is enough. */
export interface SubnetTerm {
  readonly tags: Labels;
  readonly id: string | undefined;
}

export interface SecurityGroupTerm {
  readonly tags: Labels;
  readonly id: string | undefined;
  readonly name: string | undefined;
}

export interface CapacityReservationTerm {
  readonly tags: Labels;
  readonly id: string | undefined;
  readonly ownerID: string | undefined;
  readonly instanceMatchCriteria: "open" | "targeted" | undefined;
}

export interface PlacementGroupTerm {
  readonly id: string | undefined;
  readonly name: string | undefined;
}

export interface ImageTerm {
  readonly alias: string | undefined;
  readonly tags: Labels;
  readonly id: string | undefined;
  readonly name: string | undefined;
  readonly owner: string | undefined;
  readonly ssmParameter: string | undefined;
}

export interface BlockDevice {
  readonly deviceName: string | undefined;
  readonly rootVolume: boolean;
  readonly ebs:
    | {
        readonly deleteOnTermination: boolean | undefined;
        readonly encrypted: boolean | undefined;
        readonly iops: number | undefined;
        readonly kmsKeyID: string | undefined;
        readonly snapshotID: string | undefined;
        /** MiB a second. */
        readonly throughput: number | undefined;
        readonly volumeInitializationRate: number | undefined;
        /** Bytes. */
        readonly volumeSize: number | undefined;
        readonly volumeType: string | undefined;
      }
    | undefined;
}

export interface NetworkInterface {
  readonly networkCardIndex: number;
  readonly deviceIndex: number;
  readonly interfaceType: "interface" | "efa-only";
}

export interface MetadataOptions {
  readonly httpEndpoint: "enabled" | "disabled";
  readonly httpProtocolIPv6: "enabled" | "disabled";
  readonly httpPutResponseHopLimit: number;
  readonly httpTokens: "required" | "optional";
}

/** Seconds. */
export interface ConnectionTracking {
  readonly tcpEstablishedTimeout: number | undefined;
  readonly udpStreamTimeout: number | undefined;
  readonly udpTimeout: number | undefined;
}

/** What the node-class controller has found; machines are launched with nothing else. */
export interface Ec2NodeClassStatus {
  readonly subnets: readonly StatusSubnet[];
  readonly securityGroups: readonly StatusSecurityGroup[];
  /** The newest first: a machine gets the first whose requirements its type meets. */
  readonly amis: readonly StatusImage[];
  readonly capacityReservations: readonly StatusReservation[];
  readonly instanceProfile: string | undefined;
}

export interface StatusSubnet {
  readonly id: string;
  readonly zone: string;
  readonly zoneID: string | undefined;
}

export interface StatusSecurityGroup {
  readonly id: string;
  readonly name: string | undefined;
}

export interface StatusImage {
  readonly id: string;
  readonly name: string | undefined;
  readonly deprecated: boolean;
  readonly requirements: readonly RequirementEntry[];
}

export interface StatusReservation {
  readonly id: string;
  readonly ownerID: string;
  readonly instanceType: string;
  readonly availabilityZone: string;
  readonly instanceMatchCriteria: "open" | "targeted";
  readonly reservationType: "default" | "capacity-block";
  readonly state: "active" | "expiring";
  readonly interruptible: boolean;
  /** Milliseconds since 1970. */
  readonly endTime: number | undefined;
}
