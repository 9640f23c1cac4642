import type { InstanceType, Offering } from "../../../core/model/instance-type.ts";
import {
  capacityTypeLabel,
  instanceTypeLabel,
  type Labels,
  nodePoolLabel,
  zoneLabel,
} from "../../../core/model/labels.ts";
import type { Resources } from "../../../core/model/resources.ts";
import type { Instance } from "../../../ports/cloud-provider.ts";
import { readHashTag } from "../launch/hash-tag.ts";
import {
  capacityReservationIdLabel,
  capacityReservationInterruptibleLabel,
  capacityReservationTypeLabel,
  efaResource,
  instanceProfileAnnotation,
  instanceTenancyLabel,
  nodeClassLabel,
  nodeClassTag,
  nodePoolTag,
  placementGroupIdLabel,
  placementGroupPartitionLabel,
  zoneIdLabel,
} from "../names.ts";
import { isGoing, type Machine } from "./machine.ts";

export interface MachineContext {
  /** "" when nobody knows. */
  readonly claimName: string;
  readonly zoneId: string;
  /** Undefined when nobody sells it any more, or its node class is gone. */
  readonly type: InstanceType | undefined;
}

const reservationLabels = new Set([
  capacityReservationIdLabel,
  capacityReservationTypeLabel,
  capacityReservationInterruptibleLabel,
]);

/** What the cluster is told of a machine. */
export function describeMachine(machine: Machine, { claimName, zoneId, type }: MachineContext): Instance {
  const offering = type?.offerings.find((candidate) => isOf(machine, candidate));
  const allocatable = new Map([...(type?.allocatable ?? []), ...(offering?.allocatable ?? [])]);
  return {
    providerId: machine.providerId,
    claimName,
    imageId: machine.imageId,
    labels: labelsOf(machine, zoneId, type),
    annotations: annotationsOf(machine),
    capacity: presentOf(type?.capacity ?? new Map(), machine),
    allocatable: presentOf(allocatable, machine),
    createdAt: machine.createdAt,
    isTerminating: isGoing(machine),
  };
}

function labelsOf(machine: Machine, zoneId: string, type: InstanceType | undefined): Labels {
  const { reservation, tags, partition, placementGroupId } = machine;
  const labels = new Map<string, string>();
  for (const [key, { isComplement, values }] of type?.requirements ?? []) {
    const [value] = values;
    if (value !== undefined && !isComplement && values.size === 1 && !reservationLabels.has(key))
      labels.set(key, value);
  }
  labels.set(instanceTypeLabel, machine.typeName);
  labels.set(zoneLabel, machine.zone);
  if (zoneId === "") labels.delete(zoneIdLabel);
  else labels.set(zoneIdLabel, zoneId);
  labels.set(capacityTypeLabel, machine.capacityType);
  labels.set(instanceTenancyLabel, machine.tenancy);
  if (reservation !== undefined) {
    labels.set(capacityReservationIdLabel, reservation.id);
    labels.set(capacityReservationTypeLabel, reservation.type);
    labels.set(capacityReservationInterruptibleLabel, String(reservation.isInterruptible));
  }
  if (placementGroupId !== "") labels.set(placementGroupIdLabel, placementGroupId);
  if (partition === undefined) labels.delete(placementGroupPartitionLabel);
  else labels.set(placementGroupPartitionLabel, String(partition));
  for (const [tag, label] of [
    [nodePoolTag, nodePoolLabel],
    [nodeClassTag, nodeClassLabel],
  ] as const) {
    const value = tags.get(tag) ?? "";
    if (value !== "") labels.set(label, value);
  }
  return labels;
}

function annotationsOf({ tags, instanceProfile }: Machine): Labels {
  const annotations = new Map(readHashTag(tags));
  if (instanceProfile !== "") annotations.set(instanceProfileAnnotation, instanceProfile);
  return annotations;
}

/** EFA interfaces are there only when they were asked for. */
function presentOf(resources: Resources, { efaInterfaces }: Machine): Resources {
  return new Map([...resources].filter(([name, amount]) => amount > 0 && (name !== efaResource || efaInterfaces > 0)));
}

function isOf({ zone, capacityType, reservation }: Machine, { requirements, reservationId }: Offering): boolean {
  return (
    requirements.get(zoneLabel)?.values.has(zone) === true &&
    requirements.get(capacityTypeLabel)?.values.has(capacityType) === true &&
    (reservation === undefined || reservation.id === reservationId)
  );
}
