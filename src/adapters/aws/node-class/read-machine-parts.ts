import type { Field } from "../../../core/api/field.ts";
import { parseQuantity, wholeValue } from "../../../core/model/quantity.ts";
import type { BlockDevice, ConnectionTracking, NetworkInterface } from "./ec2-node-class.ts";

const greatestInt32 = 2 ** 31 - 1;

/** An empty text is as good as none. */
export function textOf(field: Field): string | undefined {
  return field.text() || undefined;
}

/** Where it makes a difference whether anybody said no. */
export function flagOf(field: Field): boolean | undefined {
  return field.isAbsent ? undefined : field.flag();
}

export function readBlockDevice(device: Field): BlockDevice {
  return {
    deviceName: textOf(device.at("deviceName")),
    rootVolume: device.at("rootVolume").flag(),
    ebs: device.at("ebs").isAbsent ? undefined : readVolume(device.at("ebs")),
  };
}

function readVolume(ebs: Field): BlockDevice["ebs"] {
  return {
    deleteOnTermination: flagOf(ebs.at("deleteOnTermination")),
    encrypted: flagOf(ebs.at("encrypted")),
    iops: ebs.at("iops").integer(0, Number.MAX_SAFE_INTEGER),
    kmsKeyID: textOf(ebs.at("kmsKeyID")),
    snapshotID: textOf(ebs.at("snapshotID")),
    throughput: ebs.at("throughput").integer(0, Number.MAX_SAFE_INTEGER),
    volumeInitializationRate: ebs.at("volumeInitializationRate").integer(100, 300),
    volumeSize: readSize(ebs.at("volumeSize")),
    volumeType: textOf(ebs.at("volumeType")),
  };
}

function readSize(field: Field): number | undefined {
  const text = textOf(field);
  if (text === undefined) return undefined;
  const bytes = text.length > 30 ? undefined : parseQuantity(text);
  if (bytes !== undefined && bytes > 0n) return wholeValue(bytes);
  field.reject("must be a size such as 100Gi");
  return undefined;
}

export function readNetworkInterface(item: Field): NetworkInterface {
  return {
    networkCardIndex: indexOf(item.at("networkCardIndex")),
    deviceIndex: indexOf(item.at("deviceIndex")),
    interfaceType: interfaceTypeOf(item.at("interfaceType")),
  };
}

function indexOf(field: Field): number {
  if (field.isAbsent) field.reject("must be a whole number from 0");
  return field.integer(0, greatestInt32) ?? 0;
}

function interfaceTypeOf(field: Field): NetworkInterface["interfaceType"] {
  if (field.isAbsent) field.reject("must be one of interface, efa-only");
  return field.choice(["interface", "efa-only"]) ?? "interface";
}

export function readConnectionTracking(field: Field): ConnectionTracking | undefined {
  if (field.isAbsent) return undefined;
  return {
    tcpEstablishedTimeout: field.at("tcpEstablishedTimeout").integer(60, 432_000),
    udpStreamTimeout: field.at("udpStreamTimeout").integer(60, 180),
    udpTimeout: field.at("udpTimeout").integer(30, 60),
  };
}
