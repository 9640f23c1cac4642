import type * as ec2 from "@aws-sdk/client-ec2";
import type { Labels } from "../../../core/model/labels.ts";
import type { BlockDevice, ConnectionTracking, Ec2NodeClass, ImageFamily } from "../node-class/ec2-node-class.ts";

/** What the machines of one launch template have in common. */
export interface TemplateInput {
  readonly nodeClass: Ec2NodeClass;
  readonly region: string;
  readonly imageId: string;
  /** In Base64. */
  readonly userData: string;
  readonly tags: Labels;
  readonly capacityType: "reserved" | "spot" | "on-demand";
  readonly tenancy: "default" | "dedicated";
  /** Undefined when the machines are in none. */
  readonly reservation: TemplateReservation | undefined;
  /** Whether machines outside of reservations must keep off open ones. */
  readonly isReservedCapacityEnabled: boolean;
  /** How many EFA interfaces the machines get when the node class names no interfaces itself. */
  readonly efaInterfaces: number;
  readonly hasEnclaves: boolean;
  readonly isIpv6: boolean;
  readonly placement: { readonly groupId: string; readonly partition: number | undefined } | undefined;
}

export interface TemplateReservation {
  readonly id: string;
  readonly type: "default" | "capacity-block";
  readonly isInterruptible: boolean;
}

const gib = 1024 ** 3;

/** Where instance metadata cannot be asked over IPv6. */
const isoRegions = new Set([
  "us-iso-east-1",
  "us-iso-west-1",
  "us-isob-east-1",
  "us-isob-west-1",
  "us-isof-south-1",
  "us-isof-east-1",
]);

export function makeTemplateData(input: TemplateInput): ec2.RequestLaunchTemplateData {
  const { nodeClass, region, imageId, userData, capacityType, tenancy, placement, hasEnclaves } = input;
  const { spec, status } = nodeClass;
  const devices = blockDevicesOf(nodeClass);
  const nestedVirtualization = spec.cpuOptions?.nestedVirtualization;
  return {
    ImageId: imageId,
    ...(userData === "" ? {} : { UserData: userData }),
    ...(devices.length === 0 ? {} : { BlockDeviceMappings: devices }),
    ...(nestedVirtualization === undefined ? {} : { CpuOptions: { NestedVirtualization: nestedVirtualization } }),
    ...(status.instanceProfile === undefined ? {} : { IamInstanceProfile: { Name: status.instanceProfile } }),
    Monitoring: { Enabled: spec.detailedMonitoring },
    MetadataOptions: {
      HttpEndpoint: spec.metadataOptions.httpEndpoint,
      HttpPutResponseHopLimit: spec.metadataOptions.httpPutResponseHopLimit,
      HttpTokens: spec.metadataOptions.httpTokens,
      InstanceMetadataTags: "disabled",
      ...(isoRegions.has(region) ? {} : { HttpProtocolIpv6: spec.metadataOptions.httpProtocolIPv6 }),
    },
    NetworkInterfaces: networkInterfacesOf(input),
    Placement: {
      Tenancy: tenancy,
      ...(placement === undefined ? {} : { GroupId: placement.groupId }),
      ...(placement?.partition === undefined ? {} : { PartitionNumber: placement.partition }),
    },
    EnclaveOptions: { Enabled: hasEnclaves },
    TagSpecifications: [
      { ResourceType: "network-interface", Tags: writeTags(input.tags) },
      ...(capacityType === "spot"
        ? [{ ResourceType: "spot-instances-request" as const, Tags: writeTags(input.tags) }]
        : []),
    ],
    ...reservationOptionsOf(input),
  };
}

/** Sorted, so that the same tags are always the same request. */
export function writeTags(tags: Labels): ec2.Tag[] {
  return [...tags].sort(([left], [right]) => (left < right ? -1 : 1)).map(([Key, Value]) => ({ Key, Value }));
}

function reservationOptionsOf({
  reservation,
  isReservedCapacityEnabled,
}: TemplateInput): Pick<ec2.RequestLaunchTemplateData, "CapacityReservationSpecification" | "InstanceMarketOptions"> {
  if (!isReservedCapacityEnabled) return {};
  if (reservation === undefined) {
    return { CapacityReservationSpecification: { CapacityReservationPreference: "none" } };
  }
  const { id, type, isInterruptible } = reservation;
  const market = isInterruptible ? "interruptible-capacity-reservation" : type;
  return {
    CapacityReservationSpecification: {
      CapacityReservationPreference: "capacity-reservations-only",
      CapacityReservationTarget: { CapacityReservationId: id },
    },
    ...(market === "default" ? {} : { InstanceMarketOptions: { MarketType: market } }),
  };
}

function networkInterfacesOf(input: TemplateInput): ec2.LaunchTemplateInstanceNetworkInterfaceSpecificationRequest[] {
  const { nodeClass, efaInterfaces } = input;
  const { spec, status } = nodeClass;
  const Groups = status.securityGroups.map(({ id }) => id).sort();
  const primary = { Groups, ...addressesOf(input), ...trackingOf(spec.connectionTracking) };
  if (spec.networkInterfaces.length > 0) {
    return spec.networkInterfaces.map(({ networkCardIndex, deviceIndex, interfaceType }) => ({
      NetworkCardIndex: networkCardIndex,
      DeviceIndex: deviceIndex,
      InterfaceType: interfaceType,
      ...(interfaceType === "efa-only" ? { Groups } : primary),
    }));
  }
  if (efaInterfaces === 0) return [{ DeviceIndex: 0, ...primary }];
  return Array.from({ length: efaInterfaces }, (_, card) => ({
    NetworkCardIndex: card,
    DeviceIndex: card === 0 ? 0 : 1,
    InterfaceType: "efa",
    ...primary,
  }));
}

function addressesOf({
  nodeClass: { spec },
  isIpv6,
}: TemplateInput): ec2.LaunchTemplateInstanceNetworkInterfaceSpecificationRequest {
  const { associatePublicIPAddress, ipPrefixCount } = spec;
  return {
    ...(associatePublicIPAddress === undefined ? {} : { AssociatePublicIpAddress: associatePublicIPAddress }),
    ...(isIpv6 ? { PrimaryIpv6: true, Ipv6AddressCount: 1 } : {}),
    ...(ipPrefixCount === undefined
      ? {}
      : isIpv6
        ? { Ipv6PrefixCount: ipPrefixCount }
        : { Ipv4PrefixCount: ipPrefixCount }),
  };
}

function trackingOf(
  tracking: ConnectionTracking | undefined,
): Pick<ec2.LaunchTemplateInstanceNetworkInterfaceSpecificationRequest, "ConnectionTrackingSpecification"> {
  if (tracking === undefined) return {};
  const { tcpEstablishedTimeout, udpStreamTimeout, udpTimeout } = tracking;
  return {
    ConnectionTrackingSpecification: {
      ...(tcpEstablishedTimeout === undefined ? {} : { TcpEstablishedTimeout: tcpEstablishedTimeout }),
      ...(udpStreamTimeout === undefined ? {} : { UdpStreamTimeout: udpStreamTimeout }),
      ...(udpTimeout === undefined ? {} : { UdpTimeout: udpTimeout }),
    },
  };
}

function blockDevicesOf({ spec }: Ec2NodeClass): ec2.LaunchTemplateBlockDeviceMappingRequest[] {
  const devices = spec.blockDeviceMappings.length > 0 ? spec.blockDeviceMappings : defaultDevicesOf(spec.amiFamily);
  return devices.map(({ deviceName, ebs }) => ({
    ...(deviceName === undefined ? {} : { DeviceName: deviceName }),
    ...(ebs === undefined ? {} : { Ebs: writeVolume(ebs) }),
  }));
}

function writeVolume(ebs: NonNullable<BlockDevice["ebs"]>): ec2.LaunchTemplateEbsBlockDeviceRequest {
  const { deleteOnTermination, encrypted, iops, kmsKeyID, snapshotID, throughput, volumeSize, volumeType } = ebs;
  const { volumeInitializationRate } = ebs;
  return {
    ...(deleteOnTermination === undefined ? {} : { DeleteOnTermination: deleteOnTermination }),
    ...(encrypted === undefined ? {} : { Encrypted: encrypted }),
    ...(volumeType === undefined ? {} : { VolumeType: volumeType as ec2.VolumeType }),
    // Zero is nothing that AWS takes.
    ...(iops === undefined || iops === 0 ? {} : { Iops: iops }),
    ...(throughput === undefined || throughput === 0 ? {} : { Throughput: throughput }),
    ...(kmsKeyID === undefined ? {} : { KmsKeyId: kmsKeyID }),
    ...(snapshotID === undefined ? {} : { SnapshotId: snapshotID }),
    ...(volumeInitializationRate === undefined ? {} : { VolumeInitializationRate: volumeInitializationRate }),
    ...(volumeSize === undefined ? {} : { VolumeSize: Math.ceil(volumeSize / gib) }),
  };
}

function defaultDevicesOf(family: ImageFamily): readonly BlockDevice[] {
  switch (family) {
    case "AL2":
    case "AL2023":
      return [volume("/dev/xvda", 20)];
    case "Bottlerocket":
      return [volume("/dev/xvda", 4), volume("/dev/xvdb", 20)];
    case "Windows2019":
    case "Windows2022":
    case "Windows2025":
      return [volume("/dev/sda1", 50)];
    case "Custom":
      return [];
  }
}

function volume(deviceName: string, sizeGib: number): BlockDevice {
  return {
    deviceName,
    rootVolume: false,
    ebs: {
      deleteOnTermination: undefined,
      encrypted: true,
      iops: undefined,
      kmsKeyID: undefined,
      snapshotID: undefined,
      throughput: undefined,
      volumeInitializationRate: undefined,
      volumeSize: sizeGib * gib,
      volumeType: "gp3",
    },
  };
}
