import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { InstanceType } from "../model/instance-type.ts";
import { capacityTypeLabel, instanceTypeLabel, zoneLabel } from "../model/labels.ts";
import { makeRequirement } from "../model/requirements.ts";
import { isForSale } from "./drift.ts";

type Values = Readonly<Record<string, string>>;

/** A type that is sold in these ways, none of which can be had now. */
function typeWith(...offerings: readonly Values[]): InstanceType {
  const none = new Map<string, never>();
  return {
    name: "m-4x",
    requirements: none,
    capacity: none,
    allocatable: none,
    offerings: offerings.map((values) => ({
      requirements: new Map(Object.entries(values).map(([key, value]) => [key, makeRequirement("In", [value])])),
      price: 1,
      isAvailable: false,
      reservationCapacity: undefined,
      reservationId: undefined,
      allocatable: undefined,
    })),
  };
}

function isSold(labels: Values, ...offerings: readonly Values[]): boolean {
  const all = new Map(Object.entries({ [instanceTypeLabel]: "m-4x", [zoneLabel]: "a", ...labels }));
  return isForSale({ labels: all }, [typeWith(...offerings)], new Set(["example.com/reservation-id"]));
}

describe("isForSale", () => {
  const spot = { [capacityTypeLabel]: "spot" };
  const reserved = { [capacityTypeLabel]: "reserved", "example.com/reservation-id": "r-1" };
  const onDemand = { [capacityTypeLabel]: "on-demand" };

  test("wants an offering for what the claim is, in its zone, be there none to give now", () => {
    assert.equal(isSold(spot, { ...spot, [zoneLabel]: "b" }, { ...spot, [zoneLabel]: "a" }), true);
    assert.equal(isSold(spot, { ...spot, [zoneLabel]: "b" }), false);
    assert.equal(isSold(spot, { ...onDemand, [zoneLabel]: "a" }), false);
    assert.equal(isSold(spot), false);
  });

  test("does not mind what the cloud says and the claim does not", () => {
    assert.equal(isSold({}, { ...spot, "example.com/reservation-id": "r-1" }), true);
    assert.equal(isSold({}, { ...spot, "example.com/team": "red" }), false);
  });

  test("takes another reservation, or on-demand, for what was reserved, but not spot", () => {
    assert.equal(isSold(reserved, { ...reserved, "example.com/reservation-id": "r-2", [zoneLabel]: "a" }), true);
    assert.equal(isSold(reserved, { ...onDemand, [zoneLabel]: "a" }), true);
    assert.equal(isSold(reserved, { ...onDemand, [zoneLabel]: "b" }), false);
    assert.equal(isSold(reserved, { ...spot, [zoneLabel]: "a" }), false);
  });

  test("wants the type to be known", () => {
    assert.equal(isSold({ ...spot, [instanceTypeLabel]: "m-2x" }, spot), false);
    assert.equal(isForSale({ labels: new Map() }, [typeWith(spot)], new Set()), false);
  });
});
