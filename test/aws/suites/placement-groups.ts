// Placement groups, asked for over the wire.
import assert from "node:assert/strict";
import { after, before, beforeEach, describe, it } from "node:test";
import type { AwsApi } from "../../../src/adapters/aws/api/aws-api.ts";
import type { Ec2NodeClass } from "../../../src/adapters/aws/node-class/ec2-node-class.ts";
import { PlacementGroupBook } from "../../../src/adapters/aws/placement-groups/placement-group-book.ts";
import { systemClock } from "../../../src/embedded/time/system-clock.ts";
import { control, openApi, reset } from "../stage.ts";

let api: AwsApi;
before(async () => {
  api = await openApi();
});
after(() => api.close());
beforeEach(reset);

const nodeClass = (term: { readonly id?: string; readonly name?: string }): Ec2NodeClass =>
  ({ spec: { placementGroupSelector: { id: undefined, name: undefined, ...term } } }) as unknown as Ec2NodeClass;

describe("placement groups over the wire", () => {
  const racks = { GroupId: "pg-0123456789abcdef0", GroupName: "racks", Strategy: "partition", PartitionCount: 7 };
  const near = { GroupId: "pg-0123456789abcdef1", GroupName: "near", Strategy: "cluster" };

  it("are found by id and by name", async () => {
    await control.setPlacementGroups([racks, near]);
    const book = new PlacementGroupBook({ api, clock: systemClock });
    assert.deepEqual(await book.find(nodeClass({ id: racks.GroupId })), {
      id: racks.GroupId,
      name: "racks",
      strategy: "partition",
      partitions: 7,
    });
    assert.deepEqual(await book.find(nodeClass({ name: "near" })), {
      id: near.GroupId,
      name: "near",
      strategy: "cluster",
      partitions: 0,
    });
    assert.deepEqual(book.known(nodeClass({ name: "near" })), await book.find(nodeClass({ name: "near" })));
  });

  it("are none when there is no such group, or it is going", async () => {
    await control.setPlacementGroups([{ ...near, State: "deleting" }]);
    const book = new PlacementGroupBook({ api, clock: systemClock });
    for (const term of [{ name: "near" }, { name: "nowhere" }, { id: "pg-0123456789abcdef9" }])
      assert.equal(await book.find(nodeClass(term)), undefined);
  });

  it("are asked for once", async () => {
    await control.setPlacementGroups([near]);
    const book = new PlacementGroupBook({ api, clock: systemClock });
    await Promise.all([1, 2, 3].map(() => book.find(nodeClass({ name: "near" }))));
    await book.find(nodeClass({ name: "near" }));
    assert.equal((await control.calls("DescribePlacementGroups")).length, 1);
  });

  it("name the action that a role lacks", async () => {
    await control.deny("DescribePlacementGroups");
    const book = new PlacementGroupBook({ api, clock: systemClock });
    await assert.rejects(book.find(nodeClass({ name: "near" })), /AWS refuses ec2:DescribePlacementGroups/);
  });
});
