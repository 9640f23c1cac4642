import { listRecordedTypes } from "../../adapters/aws/instance-types/recorded-catalogue.ts";
import { recordedOn } from "../../adapters/aws/instance-types/recorded-types.ts";
import * as names from "../../adapters/aws/names.ts";
import type { Ec2NodeClass } from "../../adapters/aws/node-class/ec2-node-class.ts";
import { readEc2NodeClass } from "../../adapters/aws/node-class/read-node-class.ts";
import type { JsonObject } from "../../core/api/schema/json.ts";
import type { InstanceType } from "../../core/model/instance-type.ts";
import { archLabel, capacityTypeLabel, osLabel, windowsBuildLabel, zoneLabel } from "../../core/model/labels.ts";
import { makeRequirement, type Requirement } from "../../core/model/requirements.ts";
import { asEc2Types } from "../ask/ec2-types.ts";
import type { PoolTypes } from "./lint-pool.ts";

/** Only the account knows what they are. */
const accountLabels: readonly string[] = [
  zoneLabel,
  names.zoneIdLabel,
  names.regionTag,
  names.capacityReservationIdLabel,
  names.capacityReservationTypeLabel,
  names.capacityReservationInterruptibleLabel,
  names.placementGroupIdLabel,
  names.placementGroupPartitionLabel,
];

/** Somewhere, so that there is something to buy. */
const subnets = [{ id: "subnet", zone: "zone", zoneID: undefined }];

/** What pools of a node class may find on EC2, in whatever account. Without the class, all that some class could launch. */
export function ec2TypesOf(nodeClass: JsonObject | undefined): PoolTypes {
  const known = nodeClass === undefined ? undefined : read(nodeClass);
  const types = listRecordedTypes(known ?? anyClass(), {
    region: "region",
    prices: { onDemand: () => 1, spot: () => 1 },
    isSoldIn: () => true,
    settings: { vmMemoryOverheadPercent: 0.075, reservedEnis: 0, isNodeClassCelEnabled: true },
  });
  return {
    instanceTypes: types.map((type) => reservable(known === undefined ? forEverySystem(type) : type)),
    unjudged: new Set([...accountLabels, ...(known === undefined ? [windowsBuildLabel] : [])]),
    named: `the ${types.length} types of EC2 (${recordedOn})`,
  };
}

/** The same of a catalogue of one's own. */
export function givenEc2Types(instanceTypes: readonly InstanceType[]): PoolTypes {
  return {
    instanceTypes: asEc2Types(instanceTypes, []).map(reservable),
    unjudged: new Set([...accountLabels, windowsBuildLabel]),
    named: `${instanceTypes.length} types`,
  };
}

function read(wire: JsonObject): Ec2NodeClass | undefined {
  const { problems, value } = { value: undefined, ...readEc2NodeClass(wire) };
  return problems === undefined && value !== undefined
    ? { ...value, status: { ...value.status, subnets, capacityReservations: [] } }
    : undefined;
}

function anyClass(): Ec2NodeClass {
  const terms = [{ id: "any" }];
  const found = read({
    apiVersion: "karpenter.k8s.aws/v1",
    kind: "EC2NodeClass",
    metadata: { name: "any" },
    // Custom images run on every machine.
    spec: {
      role: "any",
      amiFamily: "Custom",
      amiSelectorTerms: terms,
      subnetSelectorTerms: terms,
      securityGroupSelectorTerms: terms,
    },
  });
  if (found === undefined) throw new Error("The EC2NodeClass that stands for any cannot be read");
  return found;
}

function forEverySystem(type: InstanceType): InstanceType {
  const isArm = type.requirements.get(archLabel)?.values.has("arm64") ?? false;
  return isArm ? type : withRequirement(type, osLabel, makeRequirement("In", ["linux", "windows"]));
}

/** Whether anybody has reserved such a machine, only the account knows. */
function reservable(type: InstanceType): InstanceType {
  const ways = [...(type.requirements.get(capacityTypeLabel)?.values ?? []), "reserved"];
  const [offering] = type.offerings;
  if (offering === undefined) return type;
  const reserved = new Map([
    ...offering.requirements,
    [capacityTypeLabel, makeRequirement("In", ["reserved"])] as const,
  ]);
  return {
    ...withRequirement(type, capacityTypeLabel, makeRequirement("In", ways)),
    offerings: [...type.offerings, { ...offering, requirements: reserved }],
  };
}

function withRequirement(type: InstanceType, key: string, requirement: Requirement): InstanceType {
  return { ...type, requirements: new Map([...type.requirements, [key, requirement]]) };
}
