import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { placementGroupQuery, readPlacementGroup } from "./read-placement-group.ts";

describe("placementGroupQuery", () => {
  const Filters = [{ Name: "state", Values: ["available"] }];

  it("asks by id or by name, whatever the name looks like", () => {
    assert.deepEqual(placementGroupQuery({ id: "pg-1", name: undefined }), { GroupIds: ["pg-1"], Filters });
    assert.deepEqual(placementGroupQuery({ id: undefined, name: "pg-1" }), { GroupNames: ["pg-1"], Filters });
  });
});

describe("readPlacementGroup", () => {
  const told = { GroupId: "pg-1", GroupName: "racks" };

  it("has partitions only where the strategy has", () => {
    assert.deepEqual(readPlacementGroup({ ...told, Strategy: "partition", PartitionCount: 7 }), {
      id: "pg-1",
      name: "racks",
      strategy: "partition",
      partitions: 7,
    });
    for (const strategy of ["cluster", "spread"] as const)
      assert.deepEqual(readPlacementGroup({ ...told, Strategy: strategy, PartitionCount: 7 }), {
        id: "pg-1",
        name: "racks",
        strategy,
        partitions: 0,
      });
  });

  it("refuses what it does not know", () => {
    assert.throws(() => readPlacementGroup({ ...told, Strategy: "odd" as never }), {
      message: 'placement group pg-1 (racks) has the strategy "odd"; choose one with cluster, partition or spread',
    });
  });
});
