import type { InstanceType } from "../../core/model/instance-type.ts";
import type { Labels } from "../../core/model/labels.ts";
import type { ObjectIdentity } from "../../core/model/object-identity.ts";
import type { Taint } from "../../core/model/taints.ts";
import type { ClusterFacts } from "./aws-settings.ts";
import type {
  Ec2NodeClass,
  ImageFamily,
  StatusImage,
  StatusReservation,
  StatusSecurityGroup,
  StatusSubnet,
} from "./node-class/ec2-node-class.ts";

// What the parts of the provider know of each other. Everything that finds asks AWS and may reject; everything that
// answers at once knows it already.

/** Counts up whenever what it tells may have changed, so that whoever made something of it can tell. */
export interface Versioned {
  readonly version: number;
}

export interface ImageFinder {
  /** As they go into the status. None when nothing matches. */
  find(nodeClass: Ec2NodeClass): Promise<readonly StatusImage[]>;
}

export interface SecurityGroupFinder {
  find(nodeClass: Ec2NodeClass): Promise<readonly StatusSecurityGroup[]>;
}

export interface Subnets {
  find(nodeClass: Ec2NodeClass): Promise<readonly StatusSubnet[]>;
  /**
   * The subnet with the most free addresses in each of these zones; each gives up as many as the machine may need until
   * its count is read again.
   */
  take(nodeClass: Ec2NodeClass, addressesByZone: ReadonlyMap<string, number>): ReadonlyMap<string, string>;
  /** Gives back what machines did not use: of the very map that `take` gave, all but the subnets that machines are in. */
  giveBack(taken: ReadonlyMap<string, string>, used: ReadonlySet<string>): void;
  /** AWS says that it has no address left. */
  markFull(subnetId: string): void;
}

export interface ReservationFinder {
  find(nodeClass: Ec2NodeClass): Promise<readonly StatusReservation[]>;
}

/** How many machines are left in reservations, as far as we know. */
export interface ReservationCounts extends Versioned {
  available(reservationId: string): number;
  markLaunched(reservationId: string): void;
  markTerminated(reservationId: string): void;
  markUnavailable(reservationId: string): void;
}

export interface PlacementGroup {
  readonly id: string;
  readonly name: string;
  readonly strategy: "cluster" | "partition" | "spread";
  /** 0 where the strategy has none. */
  readonly partitions: number;
}

export interface PlacementGroups extends Versioned {
  find(nodeClass: Ec2NodeClass): Promise<PlacementGroup | undefined>;
  /**
   * What `find` last found; "none" for a node class that selects none. With "unknown", nobody has found it yet, or EC2 has
   * none such: nothing can be launched, and nothing be held against machines.
   */
  known(nodeClass: Ec2NodeClass): PlacementGroup | "none" | "unknown";
}

/** Dollars an hour; undefined when nobody knows. */
export interface Prices extends Versioned {
  onDemand(instanceType: string): number | undefined;
  spot(instanceType: string, zone: string): number | undefined;
}

export interface ShiftedZones extends Versioned {
  has(zoneId: string): boolean;
}

export interface OfferingKey {
  readonly capacityType: string;
  readonly instanceType: string;
  readonly zone: string;
  /** "" for none. */
  readonly placementGroup?: string;
}

/** What AWS has just said that it cannot sell. Each mark lasts three minutes. */
export interface UnavailableOfferings extends Versioned {
  mark(key: OfferingKey, why: string): void;
  markCapacityType(capacityType: string, why: string): void;
  markSubnet(subnetId: string, why: string): void;
  /** Subnets are those of the zone that the node class may use. */
  has(key: OfferingKey, subnetIds: readonly string[]): boolean;
}

/** What the catalogue tells of a machine besides its InstanceType. */
export interface MachineFacts {
  readonly name: string;
  readonly arch: "amd64" | "arm64";
  readonly vcpus: number;
  readonly memoryMib: number;
  /** Of the default network card. */
  readonly interfaces: number;
  readonly addressesPerInterface: number;
  readonly efaInterfaces: number;
  readonly isMetal: boolean;
}

export interface Catalogue extends Versioned {
  /** Reads all types and where they are sold. Machines cannot be planned before the first time. */
  refresh(): Promise<void>;
  /** The same array as long as nothing has changed. */
  list(nodeClass: Ec2NodeClass): readonly InstanceType[];
  facts(instanceType: string): MachineFacts | undefined;
  /** What nodes of this type turned out to have, which is what the next one is reckoned with. */
  learnMemory(nodeClass: Ec2NodeClass, instanceType: string, bytes: number): void;
}

/** A kubelet's settings for one type of machine, as far as they matter to us; all else is as its user wrote it. */
export interface ResolvedKubelet {
  /** As its user wrote it, without expressions. */
  readonly config: Readonly<Record<string, unknown>>;
  readonly maxPods: number;
  readonly clusterDns: readonly string[];
  readonly kubeReserved: ReadonlyMap<string, string>;
  readonly systemReserved: ReadonlyMap<string, string>;
}

/** What a machine's user data are made of. */
export interface BootstrapInput {
  readonly family: ImageFamily;
  readonly clusterName: string;
  readonly facts: ClusterFacts;
  readonly labels: Labels;
  readonly taints: readonly Taint[];
  readonly kubelet: ResolvedKubelet;
  readonly instanceStorePolicy: "RAID0" | undefined;
  /** What the node class brings along; undefined for nothing. */
  readonly userData: string | undefined;
  /** The version of Bottlerocket, as in "1.46.0" or "latest"; undefined when nobody knows. */
  readonly imageVersion: string | undefined;
}

export interface InstanceProfiles {
  /** The profile that machines of the node class get; made if need be. Rejects with RoleNotFoundError among others. */
  ensure(nodeClass: Ec2NodeClass): Promise<string>;
  /** Takes away all that were made for a node class that goes, although nobody may be able to read it any more. */
  removeAllOf(nodeClass: ObjectIdentity): Promise<void>;
}

/** Whether a launch would be allowed, found out without launching. */
export type RehearsalOutcome =
  | { readonly kind: "allowed" }
  /** AWS was busy or failed, or said something that tells nothing of launches to come; ask again. */
  | { readonly kind: "unknown"; readonly message: string }
  /** Lasting for as long as nobody changes something. */
  | { readonly kind: "refused"; readonly reason: string; readonly message: string; readonly isLasting: boolean };

export interface LaunchRehearsal {
  rehearse(nodeClass: Ec2NodeClass): Promise<RehearsalOutcome>;
}

export interface LaunchTemplates {
  /** Deletes those that were made for a node class that goes, although nobody may be able to read it any more. */
  removeAllOf(nodeClass: ObjectIdentity): Promise<void>;
}
