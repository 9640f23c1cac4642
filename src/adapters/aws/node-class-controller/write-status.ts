import { writeConditions } from "../../../core/api/write-conditions.ts";
import { writeTime } from "../../../core/api/write-time.ts";
import type { Condition } from "../../../core/model/condition.ts";
import type { RequirementEntry } from "../../../core/model/requirement-entries.ts";
import type { Ec2NodeClass, Ec2NodeClassStatus, StatusImage, StatusReservation } from "../node-class/ec2-node-class.ts";

/** What was found for a node class, and what follows for its conditions. */
export interface Findings {
  readonly status: Ec2NodeClassStatus;
  readonly conditions: readonly Condition[];
}

/** The fields of the status that change, null for those that go; undefined when all is written already. */
export function statusChanges(
  nodeClass: Ec2NodeClass,
  findings: Findings,
): Readonly<Record<string, unknown>> | undefined {
  const before = writeStatus(nodeClass.status);
  const after = writeStatus(findings.status);
  const changes = Object.entries(after).filter(
    ([field, value]) => JSON.stringify(value) !== JSON.stringify(before[field as keyof typeof before]),
  );
  const conditions =
    findings.conditions === nodeClass.conditions ? [] : [["conditions", writeConditions(findings.conditions)]];
  const all = [...changes, ...conditions];
  return all.length === 0 ? undefined : Object.fromEntries(all);
}

/** Null where there is nothing, as a merge patch wants it. */
function writeStatus({ subnets, securityGroups, amis, capacityReservations, instanceProfile }: Ec2NodeClassStatus) {
  return {
    subnets: orNull(subnets.map(({ id, zone, zoneID }) => ({ id, zone, zoneID }))),
    securityGroups: orNull(securityGroups.map(({ id, name }) => ({ id, name }))),
    amis: orNull(amis.map(writeImage)),
    capacityReservations: orNull(capacityReservations.map(writeReservation)),
    instanceProfile: instanceProfile ?? null,
  };
}

function orNull<T>(items: readonly T[]): readonly T[] | null {
  return items.length === 0 ? null : items;
}

function writeImage({ id, name, deprecated, requirements }: StatusImage): object {
  return {
    id,
    name,
    // Said only of those that are, as it always was.
    deprecated: deprecated ? true : undefined,
    requirements: requirements.map(writeRequirement),
  };
}

function writeRequirement({ key, operator, values }: RequirementEntry): object {
  return { key, operator, values: values.length === 0 ? undefined : values };
}

function writeReservation(reservation: StatusReservation): object {
  const { endTime } = reservation;
  return {
    id: reservation.id,
    ownerID: reservation.ownerID,
    instanceType: reservation.instanceType,
    availabilityZone: reservation.availabilityZone,
    instanceMatchCriteria: reservation.instanceMatchCriteria,
    reservationType: reservation.reservationType,
    state: reservation.state,
    interruptible: reservation.interruptible,
    endTime: endTime === undefined ? undefined : writeTime(endTime),
  };
}
