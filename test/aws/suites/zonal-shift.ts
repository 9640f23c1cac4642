// Zonal shifts, asked for over the wire.
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { AwsApi } from "../../../src/adapters/aws/api/aws-api.ts";
import { openZonalShifts } from "../../../src/adapters/aws/zonal-shift/zonal-shifts.ts";
import { systemClock } from "../../../src/embedded/time/system-clock.ts";
import { control, openApi, seed } from "../stage.ts";

let api: AwsApi;
before(async () => {
  api = await openApi();
});
after(() => api.close());

describe("zonal shifts over the wire", () => {
  it("begin and end with what ARC says", async () => {
    const { clusterName } = await seed();
    const shifts = await openZonalShifts({ api, clusterName, clock: systemClock });
    assert.deepEqual([...shifts.zones], []);
    const expiryTime = Math.floor(Date.now() / 1000) + 3_600;
    await control.setZonalShifts([
      { awayFrom: "usw2-az1", appliedStatus: "APPLIED", expiryTime },
      { awayFrom: "usw2-az2", appliedStatus: "NOT_APPLIED", expiryTime },
      { awayFrom: "usw2-az3", appliedStatus: "APPLIED", expiryTime: expiryTime - 7_200 },
    ]);
    await shifts.refresh();
    assert.deepEqual([...shifts.zones], ["usw2-az1"]);
    await control.setZonalShifts([]);
    await shifts.refresh();
    assert.equal(shifts.has("usw2-az1"), false);
  });

  it("are refused for a cluster that nobody knows", async () => {
    await seed();
    const failure = openZonalShifts({ api, clusterName: "nobody", clock: systemClock });
    await assert.rejects(failure, /EKS knows no cluster "nobody"/);
  });
});
