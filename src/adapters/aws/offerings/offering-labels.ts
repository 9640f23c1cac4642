import { capacityTypeLabel, zoneLabel } from "../../../core/model/labels.ts";
import { makeRequirement, type Requirement, type Requirements } from "../../../core/model/requirements.ts";
import * as names from "../names.ts";
import type { StatusReservation } from "../node-class/ec2-node-class.ts";

export interface OfferingPlace {
  readonly zone: string;
  /** Undefined when no subnet of the node class tells it. */
  readonly zoneId: string | undefined;
  readonly capacityType: string;
  /** Undefined unless machines go into partitions of a placement group. */
  readonly partition: string | undefined;
  readonly reservation: StatusReservation | undefined;
}

const most = 10_000;
const absent = makeRequirement("DoesNotExist", []);

/** The requirements of offerings, made once for all machines that are sold in the same place in the same way. */
export class OfferingLabels {
  readonly #made = new Map<string, Requirements>();

  of(place: OfferingPlace): Requirements {
    const { zone, zoneId, capacityType, partition, reservation: reserved } = place;
    const reservation = reserved && [reserved.id, reserved.reservationType, reserved.interruptible];
    const key = JSON.stringify([zone, zoneId, capacityType, partition, reservation]);
    const known = this.#made.get(key);
    if (known !== undefined) return known;
    // Reservations come and go for as long as we run.
    if (this.#made.size >= most) this.#made.clear();
    const made = requirementsOf(place);
    this.#made.set(key, made);
    return made;
  }
}

function requirementsOf({ zone, zoneId, capacityType, partition, reservation }: OfferingPlace): Requirements {
  const only = (value: string | undefined): Requirement =>
    value === undefined ? absent : makeRequirement("In", [value]);
  const interruptible = reservation && String(reservation.interruptible);
  const requirements = new Map([
    [capacityTypeLabel, only(capacityType)],
    [zoneLabel, only(zone)],
    [names.capacityReservationIdLabel, only(reservation?.id)],
    [names.capacityReservationTypeLabel, only(reservation?.reservationType)],
    [names.capacityReservationInterruptibleLabel, only(interruptible)],
  ]);
  if (zoneId !== undefined) requirements.set(names.zoneIdLabel, only(zoneId));
  if (partition !== undefined) requirements.set(names.placementGroupPartitionLabel, only(partition));
  return requirements;
}
