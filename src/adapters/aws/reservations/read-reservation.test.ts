import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { CapacityReservation } from "@aws-sdk/client-ec2";
import { type Reservation, readReservation, toStatus } from "./read-reservation.ts";

const minute = 60_000;
const told: CapacityReservation = {
  CapacityReservationId: "cr-1",
  OwnerId: "123456789012",
  InstanceType: "m5.large",
  AvailabilityZone: "us-west-2a",
  InstanceMatchCriteria: "targeted",
  AvailableInstanceCount: 3,
};
const read = (fields: Partial<CapacityReservation>): Reservation =>
  readReservation({ ...told, ...fields }) as Reservation;

describe("readReservation", () => {
  it("reads what EC2 tells", () => {
    const EndDate = new Date(5);
    assert.deepEqual(read({ ReservationType: "capacity-block", Interruptible: true, EndDate }), {
      id: "cr-1",
      ownerID: "123456789012",
      instanceType: "m5.large",
      availabilityZone: "us-west-2a",
      instanceMatchCriteria: "targeted",
      reservationType: "capacity-block",
      interruptible: true,
      endTime: 5,
      available: 3,
    });
  });

  it("takes for granted what EC2 leaves out", () => {
    const { reservationType, interruptible, endTime } = read({});
    assert.deepEqual(
      { reservationType, interruptible, endTime },
      {
        reservationType: "default",
        interruptible: false,
        endTime: undefined,
      },
    );
  });

  it("says what it does not understand", () => {
    const odd = "odd" as never;
    const readings = [
      readReservation({}),
      readReservation({ ...told, AvailabilityZone: undefined }),
      readReservation({ ...told, InstanceMatchCriteria: odd }),
      readReservation({ ...told, ReservationType: odd }),
    ];
    assert.deepEqual(readings, [
      "EC2 tells of a capacity reservation without an id",
      "capacity reservation cr-1 has no instance type or no zone",
      'capacity reservation cr-1 matches machines by "odd", which is neither open nor targeted',
      'capacity reservation cr-1 is of the type "odd", which is neither default nor capacity-block',
    ]);
  });
});

describe("toStatus", () => {
  const statesAt = (now: number, ...reservations: Reservation[]) =>
    toStatus(reservations, now).map(({ id, state }) => `${id} ${state}`);

  it("lets a capacity block expire forty minutes before its end, and leaves it out after that", () => {
    const block = read({ ReservationType: "capacity-block", EndDate: new Date(60 * minute) });
    assert.deepEqual(statesAt(20 * minute - 1, block), ["cr-1 active"]);
    assert.deepEqual(statesAt(20 * minute, block), ["cr-1 expiring"]);
    assert.deepEqual(statesAt(60 * minute - 1, block), ["cr-1 expiring"]);
    assert.deepEqual(statesAt(60 * minute, block), []);
  });

  it("lets any other be active until its end", () => {
    const plain = read({ EndDate: new Date(60 * minute) });
    assert.deepEqual(statesAt(60 * minute - 1, plain), ["cr-1 active"]);
    assert.deepEqual(statesAt(60 * minute, plain), []);
  });

  it("tells each once, by id, and not how many are left", () => {
    const found = toStatus([read({ CapacityReservationId: "cr-2" }), read({}), read({})], 0);
    assert.deepEqual(
      found.map(({ id }) => id),
      ["cr-1", "cr-2"],
    );
    assert.ok(found.every((reservation) => !("available" in reservation)));
  });
});
