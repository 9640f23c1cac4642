import { Field, isRecord, nameObject, openObject } from "../../../core/api/field.ts";
import { ProblemLog, type Read } from "../../../core/api/problem.ts";
import { readConditions } from "../../../core/api/read-conditions.ts";
import { readObjectIdentity } from "../../../core/api/read-object-identity.ts";
import type { Ec2NodeClass, Ec2NodeClassSpec, ImageFamily, ImageTerm, MetadataOptions } from "./ec2-node-class.ts";
import { flagOf, readBlockDevice, readConnectionTracking, readNetworkInterface, textOf } from "./read-machine-parts.ts";
import { readStatus } from "./read-node-class-status.ts";
import {
  readImageTerm,
  readPlacementGroup,
  readReservationTerm,
  readSecurityGroupTerm,
  readSubnetTerm,
} from "./read-selector-terms.ts";

const mostTerms = 30;
const mostBlockDevices = 50;
const mostInterfaces = 150;
const greatestInt32 = 2 ** 31 - 1;

const families: readonly ImageFamily[] = [
  "AL2",
  "AL2023",
  "Bottlerocket",
  "Custom",
  "Windows2019",
  "Windows2022",
  "Windows2025",
];

/** As the definition has it, with its defaults, which an API server that has another definition may not have set. */
export function readEc2NodeClass(wire: unknown): Read<Ec2NodeClass> {
  const object = openObject(wire, nameObject(wire, "EC2NodeClass"));
  const metadata = object.at("metadata");
  return object.log.conclude({
    ...readObjectIdentity(metadata),
    annotations: metadata.at("annotations").labels(),
    spec: readSpec(object.at("spec")),
    ...readFound(object),
  });
}

/** A status that cannot be read is as good as none: it is found out again, and written anew. */
function readFound(object: Field): Pick<Ec2NodeClass, "status" | "conditions"> {
  const log = new ProblemLog(object.log.object);
  const record = isRecord(object.value) ? object.value : {};
  const own = new Field({ status: Object.hasOwn(record, "status") ? record.status : undefined }, log);
  const found = { status: readStatus(own.at("status")), conditions: readConditions(own) };
  return log.isEmpty ? found : { status: readStatus(new Field(undefined, log)), conditions: [] };
}

function readSpec(spec: Field): Ec2NodeClassSpec {
  const amiSelectorTerms = someOf(spec.at("amiSelectorTerms")).map(readImageTerm);
  return {
    subnetSelectorTerms: someOf(spec.at("subnetSelectorTerms")).map(readSubnetTerm),
    securityGroupSelectorTerms: someOf(spec.at("securityGroupSelectorTerms")).map(readSecurityGroupTerm),
    capacityReservationSelectorTerms: spec
      .at("capacityReservationSelectorTerms")
      .items(mostTerms)
      .map(readReservationTerm),
    placementGroupSelector: readPlacementGroup(spec.at("placementGroupSelector")),
    associatePublicIPAddress: flagOf(spec.at("associatePublicIPAddress")),
    ipPrefixCount: spec.at("ipPrefixCount").integer(0, greatestInt32),
    amiSelectorTerms,
    amiFamily: readFamily(spec.at("amiFamily"), amiSelectorTerms),
    userData: textOf(spec.at("userData")),
    ...readIdentity(spec),
    tags: spec.at("tags").labels(),
    kubelet: spec.at("kubelet").record(),
    blockDeviceMappings: spec.at("blockDeviceMappings").items(mostBlockDevices).map(readBlockDevice),
    instanceStorePolicy: spec.at("instanceStorePolicy").choice(["RAID0"]),
    networkInterfaces: spec.at("networkInterfaces").items(mostInterfaces).map(readNetworkInterface),
    detailedMonitoring: spec.at("detailedMonitoring").flag(),
    metadataOptions: readMetadataOptions(spec.at("metadataOptions")),
    connectionTracking: readConnectionTracking(spec.at("connectionTracking")),
    context: textOf(spec.at("context")),
    cpuOptions: readCpuOptions(spec.at("cpuOptions")),
  };
}

/** The terms of a list that needs some. */
function someOf(field: Field): Field[] {
  const items = field.items(mostTerms);
  if (items.length === 0) field.note("must have at least one term, and has none");
  return items;
}

/** As given, or that of the alias; what stands for it where there is neither does not get out. */
function readFamily(field: Field, terms: readonly ImageTerm[]): ImageFamily {
  const given = field.choice(families);
  if (given !== undefined) return given;
  const alias = terms.find((term) => term.alias !== undefined)?.alias;
  const name = alias?.slice(0, Math.max(0, alias.indexOf("@")));
  const family = families.find((each) => each !== "Custom" && each.toLowerCase() === name);
  if (family === undefined && field.isAbsent) field.note("must be set, because no alias in amiSelectorTerms tells it");
  return family ?? "Custom";
}

function readIdentity(spec: Field): Pick<Ec2NodeClassSpec, "role" | "instanceProfile"> {
  const role = textOf(spec.at("role"));
  const instanceProfile = textOf(spec.at("instanceProfile"));
  if ((role === undefined) === (instanceProfile === undefined)) {
    spec.note("must have either a role or an instanceProfile");
  }
  return { role, instanceProfile };
}

function readMetadataOptions(options: Field): MetadataOptions {
  const onOrOff = ["enabled", "disabled"] as const;
  return {
    httpEndpoint: options.at("httpEndpoint").choice(onOrOff) ?? "enabled",
    httpProtocolIPv6: options.at("httpProtocolIPv6").choice(onOrOff) ?? "disabled",
    httpPutResponseHopLimit: options.at("httpPutResponseHopLimit").integer(1, 64) ?? 1,
    httpTokens: options.at("httpTokens").choice(["required", "optional"]) ?? "required",
  };
}

function readCpuOptions(options: Field): Ec2NodeClassSpec["cpuOptions"] {
  if (options.isAbsent) return undefined;
  return { nestedVirtualization: options.at("nestedVirtualization").choice(["enabled", "disabled"]) };
}
