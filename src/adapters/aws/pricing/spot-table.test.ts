import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { SpotPrice } from "@aws-sdk/client-ec2";
import fc from "fast-check";
import { foldSpotHistory, SpotTable } from "./spot-table.ts";

describe("SpotTable", () => {
  it("keeps what a map of maps would keep", () => {
    const name = fc.integer({ min: 0, max: 200 }).map((n) => `m${n}.large`);
    const zone = fc.integer({ min: 0, max: 9 }).map((n) => `zone-${n}`);
    const price = fc.integer({ min: 1, max: 3 });
    fc.assert(
      fc.property(fc.array(fc.tuple(name, zone, price), { maxLength: 300 }), (records) => {
        const table = new SpotTable();
        const model = new Map<string, number>();
        for (const [type, where, cost] of records) {
          const key = `${type} ${where}`;
          assert.equal(table.set(type, where, cost), model.get(key) !== cost);
          model.set(key, cost);
        }
        assert.equal(table.size, model.size);
        const kept = new Map([...table.entries()].map(([type, where, cost]) => [`${type} ${where}`, cost]));
        assert.deepEqual(new Map([...kept].sort()), new Map([...model].sort()));
      }),
    );
  });

  it("takes few bytes for the prices of a region", () => {
    const table = new SpotTable();
    const before = process.memoryUsage().arrayBuffers;
    for (let type = 0; type < 1_400; type++) for (const zone of "abcdef") table.set(`m${type}.large`, zone, type + 1);
    assert.equal(table.size, 8_400);
    assert.equal(table.get("m1399.large", "f"), 1_400);
    assert.ok(process.memoryUsage().arrayBuffers - before < 1_000_000);
  });
});

describe("foldSpotHistory", () => {
  const record = (fields: object): SpotPrice => ({
    InstanceType: "m5.large",
    AvailabilityZone: "us-west-2a",
    SpotPrice: "0.03",
    Timestamp: new Date(0),
    ...fields,
  });

  it("lets the last record of a type and zone count", () => {
    const table = new SpotTable();
    const page = [record({}), record({ AvailabilityZone: "us-west-2b" }), record({ SpotPrice: "0.04" })];
    assert.equal(foldSpotHistory(table, page), 0);
    assert.deepEqual(
      [...table.entries()],
      [
        ["m5.large", "us-west-2a", 0.04],
        ["m5.large", "us-west-2b", 0.03],
      ],
    );
  });

  it("skips what it cannot read", () => {
    const table = new SpotTable();
    const page = [
      record({ Timestamp: undefined }),
      record({ SpotPrice: "free" }),
      record({ SpotPrice: undefined }),
      record({ SpotPrice: "0" }),
      record({ InstanceType: "constructor" }),
      record({ AvailabilityZone: "us west" }),
      record({ AvailabilityZone: undefined }),
    ];
    assert.equal(foldSpotHistory(table, page), page.length);
    assert.equal(table.size, 0);
  });

  it("takes no more zones than a region can have", () => {
    const table = new SpotTable();
    const page = Array.from({ length: 1_000 }, (_, index) => record({ AvailabilityZone: `zone-${index}` }));
    assert.equal(foldSpotHistory(table, page), 936);
    assert.equal(table.size, 64);
  });
});
