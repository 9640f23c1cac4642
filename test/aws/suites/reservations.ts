// Capacity reservations, asked for over the wire.
import assert from "node:assert/strict";
import { after, before, beforeEach, describe, it } from "node:test";
import type { AwsApi } from "../../../src/adapters/aws/api/aws-api.ts";
import type { Ec2NodeClass } from "../../../src/adapters/aws/node-class/ec2-node-class.ts";
import { readEc2NodeClass } from "../../../src/adapters/aws/node-class/read-node-class.ts";
import { Reservations } from "../../../src/adapters/aws/reservations/reservations.ts";
import { systemClock } from "../../../src/embedded/time/system-clock.ts";
import { RecordingTelemetry } from "../../support/recording-telemetry.ts";
import { control, openApi, region, reset } from "../stage.ts";

let api: AwsApi;
before(async () => {
  api = await openApi();
});
after(() => api.close());
beforeEach(reset);

const hour = 60 * 60_000;
const id = (digit: number): string => `cr-${String(digit).repeat(17)}`;
const reservation = (digit: number, fields: object = {}) => ({
  CapacityReservationId: id(digit),
  InstanceType: "m5.large",
  AvailabilityZone: `${region}a`,
  InstanceMatchCriteria: "targeted",
  AvailableInstanceCount: digit,
  TotalInstanceCount: 10,
  ...fields,
});

function nodeClass(...capacityReservationSelectorTerms: readonly object[]): Ec2NodeClass {
  const read = readEc2NodeClass({
    apiVersion: "karpenter.k8s.aws/v1",
    kind: "EC2NodeClass",
    metadata: { name: "default" },
    spec: {
      amiSelectorTerms: [{ alias: "al2023@latest" }],
      role: "nodes",
      subnetSelectorTerms: [{ tags: { a: "b" } }],
      securityGroupSelectorTerms: [{ tags: { a: "b" } }],
      capacityReservationSelectorTerms,
    },
  });
  if (!("value" in read)) throw new Error(JSON.stringify(read.problems));
  return read.value;
}

const open = (): Reservations => new Reservations({ api, clock: systemClock, log: new RecordingTelemetry().log });

describe("reservations over the wire", () => {
  it("are found by id, by tags and by matching, each once, with what is left in them", async () => {
    const team = [{ Key: "team", Value: "a" }];
    await control.setReservations([
      reservation(1, { Tags: team }),
      reservation(2, { Tags: team, State: "expired" }),
      reservation(3, { InstanceMatchCriteria: "open" }),
      reservation(4),
      reservation(5),
    ]);
    const reservations = open();
    const terms = [{ id: id(4) }, { id: id(9) }, { tags: { team: "a" } }, { instanceMatchCriteria: "open" }];
    const found = await reservations.find(nodeClass(...terms, { id: id(1) }));
    assert.deepEqual(
      found.map((each) => each.id),
      [id(1), id(3), id(4)],
    );
    assert.deepEqual(found[0], {
      id: id(1),
      ownerID: "123456789012",
      instanceType: "m5.large",
      availabilityZone: `${region}a`,
      instanceMatchCriteria: "targeted",
      reservationType: "default",
      state: "active",
      interruptible: false,
      endTime: undefined,
    });
    assert.deepEqual(
      [1, 3, 4, 5].map((digit) => reservations.available(id(digit))),
      [1, 3, 4, 0],
    );
  });

  it("are asked for once by the same terms", async () => {
    await control.setReservations([reservation(1)]);
    const reservations = open();
    await Promise.all([1, 2, 3].map(() => reservations.find(nodeClass({ id: id(1) }))));
    await reservations.find(nodeClass({ id: id(1) }));
    assert.equal((await control.calls("DescribeCapacityReservations")).length, 1);
  });

  it("expire when a capacity block ends soon, and are none once it is over", async () => {
    const ends = (milliseconds: number) => ({
      ReservationType: "capacity-block",
      EndDate: new Date(Date.now() + milliseconds).toISOString(),
    });
    await control.setReservations([
      reservation(1, ends(hour)),
      reservation(2, ends(hour / 2)),
      reservation(3, ends(-hour)),
    ]);
    const found = await open().find(nodeClass({ instanceMatchCriteria: "targeted" }));
    assert.deepEqual(
      found.map(({ id, state, reservationType }) => [id, state, reservationType]),
      [
        [id(1), "active", "capacity-block"],
        [id(2), "expiring", "capacity-block"],
      ],
    );
  });

  it("name the action that a role lacks", async () => {
    await control.deny("DescribeCapacityReservations");
    await assert.rejects(open().find(nodeClass({ id: id(1) })), /AWS refuses ec2:DescribeCapacityReservations/);
  });
});
