import type * as ec2 from "@aws-sdk/client-ec2";
import type { Labels } from "../../../core/model/labels.ts";

/** What is known of a machine, whether AWS has described it or only said that it launched it. */
export interface Machine {
  readonly id: string;
  readonly providerId: string;
  readonly typeName: string;
  readonly zone: string;
  readonly imageId: string;
  readonly capacityType: "reserved" | "spot" | "on-demand";
  /** Undefined for a machine that is not in one of its own. */
  readonly reservation: MachineReservation | undefined;
  readonly tenancy: string;
  readonly subnetId: string;
  readonly securityGroupIds: readonly string[];
  /** "" for none. */
  readonly placementGroupId: string;
  /** Undefined where there are none, or before AWS has said which. */
  readonly partition: number | undefined;
  readonly efaInterfaces: number;
  readonly tags: Labels;
  /** "" when it has none, or nobody knows. */
  readonly instanceProfile: string;
  readonly createdAt: number;
  readonly state: string;
}

export interface MachineReservation {
  readonly id: string;
  readonly type: "default" | "capacity-block";
  readonly isInterruptible: boolean;
}

const providerIdPattern = /^[^:/]+:\/\/\/[^/]+\/(?<id>i-[0-9a-z]+)$/;

export function providerIdOf(zone: string, id: string): string {
  return `aws:///${zone}/${id}`;
}

/** The id that AWS knows the machine by; undefined for what is no machine of AWS. */
export function instanceIdOf(providerId: string): string | undefined {
  return providerIdPattern.exec(providerId)?.groups?.id;
}

export function isGoing({ state }: Machine): boolean {
  return state === "shutting-down" || state === "terminated";
}

export function readMachine(instance: ec2.Instance, isReservedCapacityEnabled: boolean): Machine {
  const { InstanceId: id = "", Placement = {}, NetworkInterfaces = [], SecurityGroups = [] } = instance;
  const zone = Placement.AvailabilityZone ?? "";
  const reservation = isReservedCapacityEnabled ? readReservation(instance) : undefined;
  return {
    id,
    providerId: providerIdOf(zone, id),
    typeName: instance.InstanceType ?? "",
    zone,
    imageId: instance.ImageId ?? "",
    capacityType: isSpot(instance) ? "spot" : reservation === undefined ? "on-demand" : "reserved",
    reservation: isSpot(instance) ? undefined : reservation,
    tenancy: Placement.Tenancy ?? "default",
    subnetId: instance.SubnetId ?? "",
    securityGroupIds: SecurityGroups.flatMap(({ GroupId }) => (GroupId === undefined ? [] : [GroupId])),
    placementGroupId: Placement.GroupId ?? "",
    partition: Placement.PartitionNumber,
    efaInterfaces: NetworkInterfaces.filter(({ InterfaceType = "" }) => InterfaceType.startsWith("efa")).length,
    tags: new Map((instance.Tags ?? []).map(({ Key = "", Value = "" }) => [Key, Value])),
    instanceProfile: instance.IamInstanceProfile?.Arn?.split("/").at(-1) ?? "",
    createdAt: instance.LaunchTime?.getTime() ?? 0,
    state: instance.State?.Name ?? "",
  };
}

function isSpot({ SpotInstanceRequestId, InstanceLifecycle }: ec2.Instance): boolean {
  return (SpotInstanceRequestId ?? "") !== "" || InstanceLifecycle === "spot";
}

function readReservation(instance: ec2.Instance): MachineReservation | undefined {
  const { CapacityReservationId: id = "", CapacityReservationSpecification, InstanceLifecycle } = instance;
  // An open reservation takes in machines that never asked for it, and may lose them again.
  const isMeant = CapacityReservationSpecification?.CapacityReservationPreference === "capacity-reservations-only";
  if (id === "" || !isMeant) return undefined;
  return {
    id,
    type: InstanceLifecycle === "capacity-block" ? "capacity-block" : "default",
    isInterruptible: InstanceLifecycle === "interruptible-capacity-reservation",
  };
}
