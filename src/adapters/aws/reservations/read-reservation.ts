import type { CapacityReservation } from "@aws-sdk/client-ec2";
import type { StatusReservation } from "../node-class/ec2-node-class.ts";

/** What EC2 says of a reservation, at whatever time one looks at it. */
export interface Reservation extends Omit<StatusReservation, "state"> {
  /** How many machines are left in it. */
  readonly available: number;
}

/** EC2 ends the machines of a capacity block half an hour before its end; ours begin to go ten minutes before that. */
const expiringMilliseconds = 40 * 60_000;

/** As we understand it, or why we do not. */
export function readReservation(from: CapacityReservation): Reservation | string {
  const { CapacityReservationId: id, InstanceType: instanceType, AvailabilityZone: availabilityZone } = from;
  const { InstanceMatchCriteria: instanceMatchCriteria, ReservationType: reservationType = "default" } = from;
  if (!id) return "EC2 tells of a capacity reservation without an id";
  if (!instanceType || !availabilityZone) return `capacity reservation ${id} has no instance type or no zone`;
  if (instanceMatchCriteria !== "open" && instanceMatchCriteria !== "targeted") {
    return `capacity reservation ${id} matches machines by "${instanceMatchCriteria}", which is neither open nor targeted`;
  }
  if (reservationType !== "default" && reservationType !== "capacity-block") {
    return `capacity reservation ${id} is of the type "${reservationType}", which is neither default nor capacity-block`;
  }
  return {
    id,
    ownerID: from.OwnerId ?? "",
    instanceType,
    availabilityZone,
    instanceMatchCriteria,
    reservationType,
    interruptible: from.Interruptible ?? false,
    endTime: from.EndDate?.getTime(),
    available: Math.max(0, from.AvailableInstanceCount ?? 0),
  };
}

/** Each once, by id, as they go into the status; without those that are over. */
export function toStatus(reservations: readonly Reservation[], now: number): readonly StatusReservation[] {
  const byId = new Map(reservations.map((reservation) => [reservation.id, reservation]));
  return [...byId.values()]
    .filter(({ endTime }) => endTime === undefined || endTime > now)
    .sort((left, right) => (left.id < right.id ? -1 : 1))
    .map(({ available: _, ...reservation }) => ({ ...reservation, state: stateOf(reservation, now) }));
}

function stateOf(
  { reservationType, endTime }: Pick<Reservation, "reservationType" | "endTime">,
  now: number,
): StatusReservation["state"] {
  const isExpiring =
    reservationType === "capacity-block" && endTime !== undefined && now >= endTime - expiringMilliseconds;
  return isExpiring ? "expiring" : "active";
}
