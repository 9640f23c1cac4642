import { capacityTypeLabel, osLabel, windowsBuildLabel, zoneLabel } from "../../../core/model/labels.ts";
import { makeRequirement, type Requirement, type Requirements } from "../../../core/model/requirements.ts";
import type { PlacementGroup } from "../aws-parts.ts";
import {
  capacityReservationIdLabel,
  capacityReservationInterruptibleLabel,
  capacityReservationTypeLabel,
  placementGroupIdLabel,
  placementGroupPartitionLabel,
  regionTag,
  zoneIdLabel,
} from "../names.ts";
import type { Ec2NodeClass, StatusReservation, StatusSubnet } from "../node-class/ec2-node-class.ts";
import { imageFamilyFeatures } from "./image-family-features.ts";
import { machineLabelKeys } from "./machine-labels.ts";
import type { MachineType } from "./machine-type.ts";
import type { RequirementPool } from "./requirement-pool.ts";

export interface RequirementContext {
  readonly region: string;
  readonly pool: RequirementPool;
  readonly group: PlacementGroup | undefined;
  /** By instance type; empty when reservations are not used. */
  readonly reservations: ReadonlyMap<string, readonly StatusReservation[]>;
}

/** What the labels of a node may be, machine by machine. */
export function requirementMaker(
  { spec, status }: Ec2NodeClass,
  { region, pool, group, reservations }: RequirementContext,
): (machine: MachineType) => Requirements {
  const { build } = imageFamilyFeatures[spec.amiFamily];
  const systems = { amd64: pool.only(build === undefined ? "linux" : "windows"), arm64: pool.absent };
  if (build === undefined) systems.arm64 = systems.amd64;
  const places = placeMaker(status.subnets);
  const shared: readonly [string, Requirement][] = [
    [regionTag, pool.only(region)],
    [windowsBuildLabel, build === undefined ? pool.absent : pool.only(build)],
    ...placementRequirements(group),
  ];
  return (machine) => {
    const requirements = new Map(shared);
    for (const [index, key] of machineLabelKeys.entries()) requirements.set(key, machine.labels[index] ?? pool.absent);
    const { zones, zoneIds } = places(machine.zones);
    requirements.set(osLabel, systems[machine.arch]);
    requirements.set(zoneLabel, zones);
    if (zoneIds !== undefined) requirements.set(zoneIdLabel, zoneIds);
    const reserved = reservations.get(machine.name) ?? [];
    const capacityTypes = reserved.length > 0 ? [...machine.capacityTypes, "reserved"] : machine.capacityTypes;
    requirements.set(capacityTypeLabel, pool.oneOf(capacityTypes));
    for (const [key, values] of reservationValues(reserved)) {
      requirements.set(key, values.length > 0 ? makeRequirement("In", values) : pool.absent);
    }
    return requirements;
  };
}

function reservationValues(reserved: readonly StatusReservation[]): readonly (readonly [string, readonly string[]])[] {
  return [
    [capacityReservationIdLabel, reserved.map(({ id }) => id)],
    [capacityReservationTypeLabel, reserved.map(({ reservationType }) => reservationType)],
    [capacityReservationInterruptibleLabel, reserved.map(({ interruptible }) => String(interruptible))],
  ];
}

/** The zones that a machine is sold in and the node class has subnets in. Machines that are sold in the same are many. */
function placeMaker(subnets: readonly StatusSubnet[]) {
  const made = new Map<readonly string[], { readonly zones: Requirement; readonly zoneIds: Requirement | undefined }>();
  return (soldIn: readonly string[]) => {
    const known = made.get(soldIn);
    if (known !== undefined) return known;
    const zones = new Set<string>();
    const zoneIds = new Set<string>();
    for (const { zone, zoneID } of subnets) {
      if (!soldIn.includes(zone)) continue;
      zones.add(zone);
      if (zoneID !== undefined) zoneIds.add(zoneID);
    }
    const places = {
      zones: makeRequirement("In", [...zones].sort()),
      zoneIds: zoneIds.size === 0 ? undefined : makeRequirement("In", [...zoneIds].sort()),
    };
    made.set(soldIn, places);
    return places;
  };
}

function placementRequirements(group: PlacementGroup | undefined): readonly [string, Requirement][] {
  if (group === undefined) return [];
  const requirements: [string, Requirement][] = [[placementGroupIdLabel, makeRequirement("In", [group.id])]];
  const partitions = partitionsOf(group);
  if (partitions.length > 0) {
    requirements.push([placementGroupPartitionLabel, makeRequirement("In", partitions)]);
  }
  return requirements;
}

/** Their numbers; none unless the group is made of them. */
export function partitionsOf(group: PlacementGroup | undefined): readonly string[] {
  if (group?.strategy !== "partition") return [];
  return Array.from({ length: group.partitions }, (_, index) => String(index + 1));
}
