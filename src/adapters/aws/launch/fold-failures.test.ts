import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { modelEc2NodeClass } from "../../../../test/support/model-ec2-node-class.ts";
import { RecordingTelemetry } from "../../../../test/support/recording-telemetry.ts";
import { makeRequirement } from "../../../core/model/requirements.ts";
import { foldFailures, readFailures } from "./fold-failures.ts";
import type { LaunchPlan } from "./plan-launch.ts";

describe("failures of a launch", () => {
  it("are read from what AWS says, which may be little", () => {
    const Overrides = { InstanceType: "m5.large", AvailabilityZone: "a", SubnetId: "subnet-1" } as const;
    assert.deepEqual(
      readFailures([{ ErrorCode: "A", ErrorMessage: "b", LaunchTemplateAndOverrides: { Overrides } }, {}]),
      [
        { code: "A", message: "b", typeName: "m5.large", zone: "a", subnetId: "subnet-1" },
        { code: "", message: "", typeName: "", zone: "", subnetId: "" },
      ],
    );
  });

  it("are remembered of the offering that there is too little of, and counted", () => {
    const { marks, numbers } = fold("on-demand", failure("InsufficientInstanceCapacity"));
    assert.deepEqual(marks, ["offering on-demand/m5.large/a/"]);
    assert.deepEqual(
      [...numbers],
      [
        [
          'cloudprovider_instance_launch_failures_total{zone="a",zone_id="az1",capacity_type="on-demand",reason="LaunchFailed"}',
          1,
        ],
      ],
    );
  });

  it("are remembered of a subnet without addresses", () => {
    assert.deepEqual(fold("spot", failure("InsufficientFreeAddressesInSubnet")).marks, [
      "full subnet-1",
      "subnet subnet-1",
      "offering spot/m5.large/a/",
    ]);
  });

  it("are remembered of all spot when the account may not have any", () => {
    const { marks } = fold("spot", failure("AuthFailure.ServiceLinkedRoleCreationNotPermitted"));
    assert.deepEqual(marks, ["capacity type spot"]);
  });

  it("are remembered of the reservation that is used up", () => {
    assert.deepEqual(fold("reserved", failure("ReservationCapacityExceeded")).marks, ["reservation cr-1"]);
  });

  it("are remembered of all types when a spread group is full", () => {
    const full = { ...failure("InsufficientInstanceCapacity"), message: "reached the limit of 7 running instances" };
    assert.deepEqual(fold("on-demand", full, "pg-1").marks, [
      "offering on-demand/m5.large/a/pg-1",
      "offering on-demand/c5.large/a/pg-1",
    ]);
  });

  it("are not remembered when they are mistakes", () => {
    assert.deepEqual(fold("on-demand", failure("InvalidAMIID.NotFound")).marks, []);
  });
});

function failure(code: string) {
  return { code, message: "", typeName: "m5.large", zone: "a", subnetId: "subnet-1" };
}

function fold(capacityType: LaunchPlan["capacityType"], failed: ReturnType<typeof failure>, placementGroup = "") {
  const marks: string[] = [];
  const telemetry = new RecordingTelemetry();
  const note = (what: string) => void marks.push(what);
  const requirements = new Map([["topology.kubernetes.io/zone", makeRequirement("In", ["a"])]]);
  const candidates = ["m5.large", "c5.large"].map((name) => ({
    type: { name },
    offerings: [{ requirements, reservationId: "cr-1" }],
  }));
  const subnets = [{ id: "subnet-1", zone: "a", zoneID: "az1" }];
  foldFailures(
    [failed],
    {
      nodeClass: modelEc2NodeClass({ status: { subnets } }),
      plan: { capacityType, candidates } as unknown as LaunchPlan,
      placementGroup,
    },
    {
      unavailable: {
        version: 0,
        mark: (key) => note(`offering ${key.capacityType}/${key.instanceType}/${key.zone}/${key.placementGroup}`),
        markCapacityType: (type) => note(`capacity type ${type}`),
        markSubnet: (id) => note(`subnet ${id}`),
        has: () => false,
      },
      reservations: {
        version: 0,
        available: () => 0,
        markLaunched: () => {},
        markTerminated: () => {},
        markUnavailable: (id) => note(`reservation ${id}`),
      },
      subnets: {
        find: async () => [],
        take: () => new Map(),
        giveBack: () => {},
        markFull: (id) => note(`full ${id}`),
      },
      metrics: telemetry.metrics,
    },
  );
  return { marks, numbers: telemetry.numbers };
}
