import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { RecordingTelemetry } from "../../../../test/support/recording-telemetry.ts";
import { RecentlyUnavailable } from "./unavailable-offerings.ts";

function stage() {
  let seconds = 0;
  const clock = { now: () => seconds * 1000, after: () => ({ cancel() {} }) };
  const { log, lines } = new RecordingTelemetry();
  const moveTo = (to: number) => {
    seconds = to;
  };
  return { unavailable: new RecentlyUnavailable({ clock, log }), moveTo, lines };
}

const spot = { capacityType: "spot", instanceType: "m5.large", zone: "us-west-2a" };
const others = [
  { ...spot, capacityType: "on-demand" },
  { ...spot, instanceType: "m5.xlarge" },
  { ...spot, zone: "us-west-2b" },
];

describe("RecentlyUnavailable", () => {
  it("holds an offering back for three minutes, and no other", () => {
    const { unavailable, moveTo, lines } = stage();
    unavailable.mark(spot, "InsufficientInstanceCapacity");
    assert.deepEqual(
      others.map((key) => unavailable.has(key, [])),
      [false, false, false],
    );
    moveTo(179);
    assert.equal(unavailable.has(spot, []), true);
    moveTo(180);
    assert.equal(unavailable.has(spot, []), false);
    assert.deepEqual(lines.at(0)?.fields, {
      "capacity-type": "spot",
      "instance-type": "m5.large",
      zone: "us-west-2a",
      reason: "InsufficientInstanceCapacity",
    });
  });

  it("begins anew when the offering is marked again", () => {
    const { unavailable, moveTo } = stage();
    unavailable.mark(spot, "");
    moveTo(100);
    unavailable.mark(spot, "");
    moveTo(279);
    assert.equal(unavailable.has(spot, []), true);
    moveTo(280);
    assert.equal(unavailable.has(spot, []), false);
  });

  it("counts marks, and marks that end", () => {
    const { unavailable, moveTo } = stage();
    unavailable.mark(spot, "");
    moveTo(100);
    unavailable.mark({ ...spot, zone: "us-west-2b" }, "");
    const versions = [0, 179, 180, 279, 280, 1000].map((seconds) => {
      moveTo(seconds);
      return unavailable.version;
    });
    assert.deepEqual(versions, [2, 2, 3, 3, 4, 4]);
  });

  it("holds a whole capacity type back", () => {
    const { unavailable, moveTo } = stage();
    unavailable.markCapacityType("spot", "");
    assert.deepEqual(
      [unavailable.has(spot, []), unavailable.has({ ...spot, capacityType: "on-demand" }, [])],
      [true, false],
    );
    moveTo(180);
    assert.equal(unavailable.has(spot, []), false);
  });

  it("holds a zone back when all its subnets are full", () => {
    const { unavailable } = stage();
    unavailable.markSubnet("subnet-1", "");
    assert.equal(unavailable.has(spot, ["subnet-1", "subnet-2"]), false);
    assert.equal(unavailable.has(spot, []), false);
    unavailable.markSubnet("subnet-2", "");
    assert.equal(unavailable.has(spot, ["subnet-1", "subnet-2"]), true);
  });

  it("holds back in a placement group what is short there, and what is short everywhere", () => {
    const { unavailable } = stage();
    const inGroup = { ...spot, placementGroup: "pg-1" };
    unavailable.mark(inGroup, "");
    assert.deepEqual(
      [inGroup, spot, { ...spot, placementGroup: "pg-2" }].map((key) => unavailable.has(key, [])),
      [true, false, false],
    );
    unavailable.mark(spot, "");
    assert.equal(unavailable.has({ ...spot, placementGroup: "pg-2" }, []), true);
  });
});
